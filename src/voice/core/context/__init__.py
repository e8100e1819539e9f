"""A model's prompt: measured, assembled and rendered under a hard budget.

Law: only graph rows are evidence (ruling A2) and `count(rendered) <= budget`, always (ruling D10).
"""
