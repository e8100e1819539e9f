"""The owner of a memory.

Law: only the owner's settings say what the owner is called, never a file or a note.
"""

from dataclasses import dataclass

from voice.core.messages import asking as messages
from voice.core.text.words import words


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOwner:
    """The owner of a memory."""

    names: tuple[str, ...] = ()
    """The owner's names, the full name first."""

    @property
    def keys(self) -> frozenset[str]:
        """The words of the names."""
        return frozenset(word.key for name in self.names for word in words(name) if not word.is_stop)

    @property
    def short_keys(self) -> frozenset[str]:
        """The first word of each name; the last word may be the family's."""
        return frozenset(found[0].key for name in self.names if (found := words(name)))

    def is_called(self, name: str) -> bool:
        """Return whether a name is one of the owner's, or a part of one."""
        keys = {word.key for word in words(name)}
        return bool(keys) and any(keys <= {word.key for word in words(own)} for own in self.names)

    def introduction(self) -> str:
        """Return the answer to "Who am I?" from the settings; there is at least one name."""
        first, *others = self.names
        rest = [", ".join(others[:-1]), others[-1]] if others else []
        return messages.who_you_are(first, " and ".join(filter(None, rest)))
