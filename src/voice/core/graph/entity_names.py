"""Names of entities and linked notes, and their mentions in texts.

Law: names match on word boundaries, ignoring case, apostrophes and possessives; the longest wins; a shared name gives
all its rows. Names that are filler words ("Will") match only as spelled, inside a sentence. Note titles are not names.
Private names are not in `public` (promise 6). Links between notes are in the graph, but not searchable (ruling I5).
Source: spec nlq 2; DESIGN 3 ("entity aliases"); rulings A21, C10, E, F, I5; docs/import.md.
"""

import struct
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Self

import regex

from voice.core.records import LINKS_TO, Entity, EntityName, Observation, Relation, Row, RowStatus, VectorRow
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import STOPWORDS, fold_word

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_APOSTROPHE = "['\u2018\u2019\u201b\u02bc\uff07`\u00b4]"
# A sign of an unspaced script with its marks, or a word with its apostrophes and "+" or "#": "O'Neil", "C++".
_TOKEN = late_pattern(
    rf"[{_UNSPACED}]\p{{M}}*+|[\p{{L}}\p{{M}}\p{{N}}--{_UNSPACED}]++"
    rf"(?:{_APOSTROPHE}[\p{{L}}\p{{M}}\p{{N}}--{_UNSPACED}]++)*+[+#]*+",
    flags=regex.V1,
)
_FILLER = frozenset[str]().union(*STOPWORDS.values())
_OPENS_SENTENCE = frozenset(".!?:\n")
_BEFORE_WORDS = frozenset("\"'“‘(")
_LONGEST = 120  # tokens; a longer text is not a name

Named = Entity | EntityName


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A known name in a text."""

    ids: tuple[str, ...]
    """All rows with the name, sorted; more than one is ambiguous."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Token:
    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Index of many rows' names, for many texts."""

    ids_of: Mapping[tuple[str, ...], tuple[str, ...]]
    lengths: Mapping[str, tuple[int, ...]]
    """First token to the numbers of tokens of the names that start with it, the longest first."""
    spelled: Mapping[str, frozenset[str]]
    """Filler-word names with their spellings."""
    people: frozenset[str]
    """Ids of persons."""

    @classmethod
    def of(cls, rows: Iterable[Named]) -> Self:
        """Index the names and aliases of `rows`."""
        ids: dict[tuple[str, ...], set[str]] = {}
        lengths: dict[str, set[int]] = {}
        spelled: dict[str, set[str]] = {}
        people: set[str] = set()
        for row in rows:
            if row.entity_type == NOTE_TYPE:
                continue
            if row.entity_type == "person":
                people.add(row.id)
            for name in (row.name, *row.aliases):
                key = tuple(token.key for token in _tokens(name))
                if not 0 < len(key) <= _LONGEST:
                    continue
                ids.setdefault(key, set()).add(row.id)
                lengths.setdefault(key[0], set()).add(len(key))
                if len(key) == 1 and key[0] in _FILLER:  # "Will" matches as spelled only
                    spelled.setdefault(key[0], set()).add(name.strip())
        return cls(
            {key: tuple(sorted(found)) for key, found in ids.items()},
            {key: tuple(sorted(found, reverse=True)) for key, found in lengths.items()},
            {key: frozenset(names) for key, names in spelled.items()},
            frozenset(people),
        )

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return the mentions in `text`, in order, longest match, not overlapping."""
        if not self.ids_of:
            return ()
        tokens = _tokens(text)
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            length = self._match(text, tokens, at)
            if length:
                key = tuple(token.key for token in tokens[at : at + length])
                found.append(Mention(ids=self.ids_of[key], start=tokens[at].start, end=tokens[at + length - 1].end))
            at += length or 1
        return tuple(found)

    def _match(self, text: str, tokens: list[_Token], at: int) -> int:
        """Return the token length of the longest name at `at`; 0 if none."""
        for length in self.lengths.get(tokens[at].key, ()):  # longest first
            key = tuple(token.key for token in tokens[at : at + length])
            if len(key) == length and key in self.ids_of and (length > 1 or self._is_meant(text, tokens[at])):
                return length
        return 0

    def _is_meant(self, text: str, token: _Token) -> bool:
        spellings = self.spelled.get(token.key)
        if spellings is None:
            return True
        return text[token.start : token.end] in spellings and not _opens_sentence(text, token.start)


def _opens_sentence(text: str, at: int) -> bool:
    while at and text[at - 1] not in _OPENS_SENTENCE and (text[at - 1].isspace() or text[at - 1] in _BEFORE_WORDS):
        at -= 1
    return not at or text[at - 1] in _OPENS_SENTENCE  # the first word has its capital anyway


def ids_of_mentions(mentions: Iterable[Mention]) -> tuple[str, ...]:
    """Return the distinct ids of `mentions`, in order."""
    return tuple(dict.fromkeys(row_id for mention in mentions for row_id in mention.ids))


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        folded = fold_word(match.group())
        bare = folded.removesuffix("'s")
        # It ends before "'s"; without apostrophes "O'Neil" meets "ONeil".
        tokens.append(_Token(bare.replace("'", ""), match.start(), match.end() - (len(folded) - len(bare))))
    return tokens


@dataclass(frozen=True, kw_only=True)
class KnownNames:
    """Live entities by name."""

    nodes: tuple[EntityName, ...] = ()

    @cached_property
    def index(self) -> NameIndex:
        """Name index, built on first use."""
        return NameIndex.of(self.nodes)

    @cached_property
    def by_id(self) -> Mapping[str, EntityName]:
        """Entity by id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def name_of(self) -> Mapping[str, str]:
        """Name by id."""
        return {node.id: node.name for node in self.nodes}

    @cached_property
    def spoken(self) -> tuple[str, ...]:
        """All names and aliases, in order."""
        return tuple(name for node in self.nodes for name in (node.name, *node.aliases))

    @cached_property
    def public(self) -> "KnownNames":
        """The names without private entities."""
        shown = tuple(node for node in self.nodes if not node.is_private)
        return self if len(shown) == len(self.nodes) else KnownNames(nodes=shown)

    def with_(self, changed: Mapping[str, EntityName | None]) -> "KnownNames":
        """Return the names with changes applied; None deletes. Returns self if nothing changes, with its caches."""
        after = {row_id: node for row_id, node in {**self.by_id, **changed}.items() if node is not None}
        return self if after == self.by_id else KnownNames(nodes=tuple(after[row_id] for row_id in sorted(after)))


def with_new_entities(
    observations: Iterable[Observation], index: NameIndex, entity_ids: Collection[str]
) -> tuple[Observation, ...]:
    """Return the live observations that mention a new entity but do not link it yet, updated."""
    wanted = frozenset(entity_ids)
    found: list[Observation] = []
    for row in observations:
        named = [each for each in ids_of_mentions(index.mentions(row.text)) if each in wanted]
        about = tuple(dict.fromkeys((*row.entity_ids, *named)))
        if row.status is RowStatus.ACTIVE and about != row.entity_ids:
            found.append(replace(row, entity_ids=about, revision=row.revision + 1))
    return tuple(found)


NOTE_TYPE: Final = "note"
"""Type of an entity that is a note or a bare link target."""


def is_bare_note(row: Row) -> bool:
    """Return whether a row only represents a link or note, without description."""
    if isinstance(row, Entity):
        return row.entity_type == NOTE_TYPE and not row.description
    return isinstance(row, Relation) and row.rel_type == LINKS_TO and not row.description


def fixed_vector(row_id: str, model: str, dim: int) -> VectorRow:
    """Return a constant vector, so that an unsearchable row does not wait for an encoder."""
    # Not all zeros: such a vector has no cosine (ruling B12).
    return VectorRow(row_id=row_id, model=model, dim=dim, data=struct.pack(f"<{dim}f", 1.0, *(0.0,) * (dim - 1)))
