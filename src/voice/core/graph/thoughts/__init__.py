"""A thought and its sentences: told apart, distilled, vouched for, reworded."""
