"""The ports' implementations, one vendor each.

Law: adapters translate and never decide; they do not know one another. Only `voice.bootstrap` names them.
"""
