"""Values and decisions.

Law: nothing here does I/O, awaits, reads a clock, draws chance or looks at the environment. Time, ids and settings come
in as arguments, so that every decision of the program can be replayed from its inputs.
"""
