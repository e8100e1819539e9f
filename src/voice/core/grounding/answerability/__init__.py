"""The question side of the provider that asks no model: what a question asks for, and which sentences answer it."""
