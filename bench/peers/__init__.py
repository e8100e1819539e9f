"""This program beside others that store and find text: same rows, same vectors, same questions."""
