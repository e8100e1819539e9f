"""The doors over HTTP: the pages, and the interface under /api/v1."""
