"""One module per peer; each names its peer's interface as its documentation shows it, and nothing else."""
