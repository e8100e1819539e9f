"""A real model through the whole loop of the program."""
