"""The grounding contract: what an answer must show before it may be saved.

Law: every number is computed here; a number the model claims is never used (ruling A3).
"""
