"""What you read: the messages of core, one table an area.

Law: a table holds words and nothing else: it decides nothing and imports nothing of this program. A message that needs
facts is a function of them, so that a type checker sees what it takes. All of them read from top to bottom; another
language is another table of the same names.
"""
