"""Content hashes that were computed before.

Law: bounded, and never wrong: a hash is remembered for a row whose text is its own words, under (table, id, revision),
and a row that says something else has another revision. An entity's or a relation's text also says what its neighbours
are called and what they are joined to, which may change while the row itself does not; those are hashed every time.

Source: spec inner_voice.retrieve, Performance Notes; rulings A10, A11, C19.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

from voice.core.records import Observation, Row, Table, Thought, table_of
from voice.core.text.normalise import content_hash

REMEMBERED = 10_000


@dataclass(slots=True, kw_only=True)
class ContentHashes:
    """The hashes of the rows used last."""

    most: int = REMEMBERED
    _known: OrderedDict[tuple[Table, str, int], str] = field(default_factory=OrderedDict[tuple[Table, str, int], str])

    def __call__(self, row: Row, text: str) -> str:
        """Return the content hash of `text`, which is what `row` says."""
        if not isinstance(row, Thought | Observation):
            return content_hash(text)
        key = (table_of(row.id), row.id, row.revision)
        known = self._known.pop(key, None)
        self._known[key] = hashed = content_hash(text) if known is None else known
        if len(self._known) > self.most:
            self._known.popitem(last=False)
        return hashed
