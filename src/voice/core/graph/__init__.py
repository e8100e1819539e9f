"""The knowledge graph: rendering, distilling, staging."""
