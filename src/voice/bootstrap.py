"""Wires settings, adapters and services together.

Law: the only module that names a concrete adapter.
"""
