"""Pages of the site that follow from the program: its schemas, errors, events, library, tools and requirements.

Law: what can be read off the code is written nowhere else. A generator is a pure function from what the code says to
Markdown, and fails rather than leave out what it does not understand. Pages that people read on a forge, too, are kept
in docs/ and a test holds them (`tools/docs.py` writes them); the others are made when the site is built.
"""
