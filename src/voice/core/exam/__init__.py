"""An exam of a memory in questions that are made of its own rows."""
