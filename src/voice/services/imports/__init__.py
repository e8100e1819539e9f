"""Files and folders of notes: previewed, imported, followed, undone."""
