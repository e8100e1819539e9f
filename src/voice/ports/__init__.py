"""What the services need from the world, as protocols of at most four methods.

Law: a port speaks the domain's words, states its guarantees in its docstring and knows no vendor.
"""
