"""The doors: parse, call one service, render.

Law: no rule of the program lives here.
"""
