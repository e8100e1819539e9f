"""Question analysis and answers that need no language model."""
