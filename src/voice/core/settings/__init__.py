"""What can be set, read once and checked at once.

Law: `values` says what there is to set and what a program receives, `table` lists it, `parse` makes the one of the
other, `describe` is how a person reads it. Nothing here looks at the environment or a file: both come in as mappings
(rulings A6, C16). The parser is a table of our own because core knows no vendor and every fault must be told at once,
in our words.
"""
