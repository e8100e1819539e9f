"""SurrealDB: where truth is kept."""

from voice.adapters.surreal.key_check import require_key
from voice.adapters.surreal.opening import SurrealStores, open_store

__all__ = ["SurrealStores", "open_store", "require_key"]
