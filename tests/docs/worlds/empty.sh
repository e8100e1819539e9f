# A memory that was just made: settings, and nothing in it.
