"""Which entities are one: suggested, merged, taken apart again."""
