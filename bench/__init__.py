"""Benchmarks that print what they measured: `python -m bench.<name> --json`."""
