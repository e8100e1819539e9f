"""What a model is shown: measured, assembled and rendered under a hard budget.

Law: only KG rows are evidence (ruling A2) and `count(rendered) <= budget`, always (ruling D10).
"""
