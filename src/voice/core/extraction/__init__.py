"""Reading entities, relations and observations out of notes, offline."""
