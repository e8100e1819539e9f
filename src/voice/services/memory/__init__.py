"""What comes into the memory, and what was forgotten of it."""
