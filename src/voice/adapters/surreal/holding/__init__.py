"""One holder, many guests: an embedded store that several processes of one person use at the same time."""
