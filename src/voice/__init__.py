"""A grounded inner voice over a person's memory."""

__version__ = "0.1.0"
