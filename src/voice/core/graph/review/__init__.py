"""From what was found in notes to rows of the graph: staged, reviewed, promoted."""
