"""Verifiers: a cross-encoder from a file, a language model, and what other packages bring (`voice.ports.verifier`)."""
