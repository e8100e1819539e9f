"""The knowledge graph: entered, proposed, reviewed, corrected, resolved."""
