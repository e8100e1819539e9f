"""What other programs write, understood: vaults of notes, conversations with assistants, mails, lines of JSON.

Law: pure; a value of theirs → lines of ours. Nobody's word about whose words these are is taken from a file but to
lower it: what an assistant said claims to be a model's, whoever is named.

Source: docs/import.md; rulings A12, H.
"""
