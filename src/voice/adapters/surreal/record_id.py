"""The id of a record: its table and its key.

Law: ids are values of this kind, never strings (rulings B2, B3), and nothing of the client library's is loaded for
them: the library costs more to import than a command takes, and only a server is spoken to through it (`remote`).
"""

from dataclasses import dataclass


@dataclass(slots=True, unsafe_hash=True)
class RecordID:
    """A record's table and key; never changed once it is made, but not frozen, because a read makes two per row."""

    table_name: str
    id: str
