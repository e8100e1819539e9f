"""Sessions and exchanges as values, and the decisions over them."""
