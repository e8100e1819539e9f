"""Finding rows of the memory."""
