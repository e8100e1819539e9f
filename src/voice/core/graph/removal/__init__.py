"""Marking, archiving and forgetting, with the rows affected."""
