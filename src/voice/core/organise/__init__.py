"""The organising tool as pure decisions: what was asked for, what is answered, what is kept of it."""
