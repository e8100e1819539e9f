"""The ports' stores over one SurrealDB connection, and how they read rows."""
