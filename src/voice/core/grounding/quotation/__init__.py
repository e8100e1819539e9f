"""Whether a sentence of an answer is whole sentences of what it cites, word for word."""
