"""Language models, remote and offline."""
