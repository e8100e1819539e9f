"""SurrealDB: where truth is kept."""

from voice.adapters.surreal.opening import SurrealStores, open_store

__all__ = ["SurrealStores", "open_store"]
