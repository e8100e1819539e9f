"""Stored conversations: found, named, forked, totalled, exported."""
