"""The door for other programs' models: the Model Context Protocol."""
