"""`voice kg`: the knowledge graph on the command line."""
