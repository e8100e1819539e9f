"""A neighbourhood of the graph as a picture: one page that needs nothing but itself.

Law: everything is a function of rows, the moment, the zone and a seed. Names and sentences are text and never markup.
"""
