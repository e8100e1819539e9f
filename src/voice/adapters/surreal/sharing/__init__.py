"""An embedded store that several processes of one person use at once: one holds it, the others are its guests."""
