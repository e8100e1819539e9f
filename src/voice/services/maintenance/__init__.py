"""Health of the memory: doctor, index proof, exam.

Whatever reads raises `StoreError` where the store cannot be read; a docstring names the other errors.
"""
