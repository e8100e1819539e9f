"""What can be set, read once and checked at once.

Law: `table` says what there is to set, `values` what a program receives, `parse` how the one becomes the other,
`describe` how a person reads it. Nothing here looks at the environment or a file: both come in as mappings (rulings A6,
C16). The parser is a table of our own because core knows no vendor and every fault must be told at once, in our words.
"""
