"""The small cross-encoder: made from a sentence encoder and labelled answers, and measured beside the lexical score."""
