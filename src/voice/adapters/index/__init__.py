"""The derived search index beside the store."""
