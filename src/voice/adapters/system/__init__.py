"""Clock, ids, directories."""
