"""`voice sessions`: stored conversations on the command line."""
