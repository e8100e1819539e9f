"""What tells an order to a model from a memory: folding, decoding, words, features."""
