"""How instructions to a model are told from memories."""
