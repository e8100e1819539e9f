"""In-memory twins of the stores, shipped and held to the same contracts."""
