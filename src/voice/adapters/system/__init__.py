"""Clock, ids, directories, the key."""
