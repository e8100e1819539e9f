"""Detection of instructions to a model in memories."""
