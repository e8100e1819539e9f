"""Memory files as values: parse a line, build its row, render a row."""
