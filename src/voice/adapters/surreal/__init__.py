"""SurrealDB: where truth is kept."""
