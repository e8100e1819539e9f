"""Pages of sources: browsing, one source, adding and correcting notes, removal."""
