"""Verifiers: a language model, and what other packages bring (`voice.ports.verifier`)."""
