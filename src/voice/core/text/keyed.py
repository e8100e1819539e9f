"""The keyed hash of a text.

Law: what must not be confirmable without the store's key is kept as this hash of it and in no other form.

Source: rulings D9, H.
"""

from blake3 import blake3


def keyed_hash(key: bytes, text: str) -> str:
    """Return the keyed BLAKE3 of any text that must not be confirmable without the store's key (rulings D9, H)."""
    return blake3(text.encode("utf-8", "surrogatepass"), key=key).hexdigest()
