"""Text processing: normalise, split, cut, locate."""
