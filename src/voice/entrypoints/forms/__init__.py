"""The JSON that every door gives: what the command line prints under `--json`, and what servers answer."""
