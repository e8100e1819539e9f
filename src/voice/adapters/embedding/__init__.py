"""Sentence encoders.

Law: each obeys `voice.ports.search_index.Embedder` and one contract suite; heavy vendors are imported at the first
text, never at import, and in a worker thread.
"""
