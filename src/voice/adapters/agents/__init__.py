"""What programs of other frameworks keep in the data directory."""
