"""What stands on a list: "What is on my to-do list?", "What do I still have to buy?".

Law: a question for a list is answered by its items, whatever their words: those not done of every list with boxes, and
all of a list that is called so above; of a list of another name ("my shopping list", "my yearly bills") those under a
line that holds its name, be they items or the rows of a table. An item says whether it is done.

Source: ruling D5 (evidence must say something of what is asked about); DESIGN 7 (`extractive`).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.answerability.asked import ASKING
from voice.core.grounding.answerability.inquiry import LIGHT
from voice.core.grounding.answerability.passages import Passage, all_passages
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence
from voice.core.text.checklists import Item, heading_above, item_of
from voice.core.text.patterns import late_pattern
from voice.core.text.tables import is_header, readable
from voice.core.text.wordlists import word_set
from voice.core.text.words import stems_in, words

_TO_DO = late_pattern(
    r"\b(?:to-?dos?|to do list|tasks?|checklist)\b"
    r"|\bwhat (?:else )?(?:do|did) (?:i|we) (?:still )?(?:have|need) to do\b"
    r"|\bwhat (?:must|should|do) (?:i|we) still do\b|\bwhat(?:['’]s| is) (?:still )?left to do\b"
    r"|\bstill (?:open|to do)\b"
    r"|\bwas muss ich noch\b|\baufgaben(?:liste)?\b",
    regex.IGNORECASE,
)
_LIST = late_pattern(
    r"\b(?:on|in|auf) (?:my|our|the|meiner|der) (?P<name>[\p{L}-]+(?: [\p{L}-]+)?)[ -]list(?:e)?\b"
    r"|\bauf (?:meiner|der) (?P<german>\p{L}+liste)\b",
    regex.IGNORECASE,
)
_NAMED = late_pattern(
    r"^\W*(?:what|which) (?:are|were) (?:all )?(?:my|our|the) (?P<name>[\p{L}'’ -]{3,40})[?.!\s]*$"
    r"|^\W*(?:was|welche[rs]?) sind (?:alle )?(?:meine|unsere|die) (?P<german>[\p{L} -]{3,40})[?.!\s]*$",
    regex.IGNORECASE,
)
"""What a list may be called that is asked for by its name alone."""
_ASKS = late_pattern(r"^\W*(?:what|which|show|list|tell|was|welche\w*|are there|do i have)\b", regex.IGNORECASE)
_DONE = late_pattern(r"\b(?:done|finished|completed|ticked|erledigt)\b", regex.IGNORECASE)
_STATE = {True: "Done: ", False: "To do: ", None: ""}
MOST = 12
"""So many items are given."""
_CALLED_SO = late_pattern(r"\b(?:to-?dos?|to do|tasks?|checklist|aufgaben|zu erledigen)\b", regex.IGNORECASE)


_NO_TOPIC = (
    ASKING
    | LIGHT
    | word_set(
        "todo todos task tasks checklist list lists open left outstanding done finish finished completed ticked "
        "erledigt offen aufgabe aufgaben aufgabenliste noch need remain remaining"
    )
)


class Listed(NamedTuple):
    """A question for what stands on a list."""

    name: frozenset[str]
    """Stems of what the list is called; none for the list of what is to be done."""
    about: frozenset[str]
    """Stems of what its items are to be about, where the question says it: "tasks for the garden"."""
    is_of_done: bool

    def items(self, evidence: Sequence[Evidence]) -> Iterator[Passage]:
        """Yield the sentences of `evidence` that are items of the list, in their order."""
        for row in evidence:
            for passage in all_passages(row):
                item = _entry_of(passage)
                if item is not None and passage.text in row.shown and self._holds(item, passage):
                    yield passage

    def _holds(self, item: Item, passage: Passage) -> bool:
        above = heading_above(passage.row.text, passage.start)
        if self.about and self.about.isdisjoint(passage.stems | stems_in(above)):
            return False
        if self.name:
            return self.name <= {word.stem for word in words(above)}
        if item.is_done is None:
            return not self.is_of_done and _CALLED_SO.search(above) is not None
        return item.is_done is self.is_of_done


def asked_list(question: str) -> Listed | None:
    """Return which list `question` asks for; None where it asks for none."""
    text = question.partition("\n")[0]
    if _ASKS.match(text) is None:
        return None
    if _TO_DO.search(text):
        about = frozenset(word.stem for word in words(text) if not word.is_stop and word.key not in _NO_TOPIC)
        return Listed(frozenset(), about, _DONE.search(text) is not None)
    found = _LIST.search(text) or _NAMED.match(text)
    if found is None:
        return None
    name = found["name"] or found["german"]
    stems = frozenset(word.stem for word in words(name) if not word.is_stop)
    return Listed(stems, frozenset(), is_of_done=False) if stems else None


def _entry_of(passage: Passage) -> Item | None:
    """Return the item a sentence is, a table's row under its header among them; None for any other."""
    if passage.header and not is_header(passage.row.text, passage.end):
        return Item(0, readable(passage.text, passage.header), None)
    return item_of(passage.text)


def listed_in(question: str, evidence: Sequence[Evidence]) -> list[Passage]:
    """Return the items that `question` asks for, of those that `evidence` holds."""
    listed = asked_list(question)
    return [] if listed is None else list(listed.items(evidence))


def told_of(item: Item) -> str:
    """Return an item in words, without its dash and its box."""
    return _STATE[item.is_done] + item.text


def listed_draft(items: Sequence[Passage]) -> Draft:
    """Return the draft that gives items: those of one list together, under what stands above it."""
    told: dict[str, DraftSentence] = {}
    for block in _blocks(items[:MOST]):
        line, span = _told_together(block)
        source = DraftSource(source_id=block[0].row.alias, span=span)
        told.setdefault(line, DraftSentence(text=f"\n{line}", sources=(source,)))
    return Draft(sentences=tuple(told.values()))


def _blocks(items: Sequence[Passage]) -> list[list[Passage]]:
    """Return the items by the list that they stand in; a row of a table, and what stands under no name, is alone."""
    blocks: dict[tuple[str, str, int], list[Passage]] = {}
    for place, passage in enumerate(items):
        name = heading_above(passage.row.text, passage.start)
        is_alone = bool(passage.header) or not name
        blocks.setdefault((passage.row.alias, name, place if is_alone else -1), []).append(passage)
    return list(blocks.values())


def _told_together(block: Sequence[Passage]) -> tuple[str, str]:
    """Return the items of one list as they are told, and the text they stand in."""
    first = block[0]
    text, name = first.row.text, heading_above(first.row.text, first.start)
    entries = [item for one in block if (item := _entry_of(one))]
    if first.header or not name:
        return f"{told_of(entries[0]).rstrip('.')}.", first.text
    span = text[max(0, text.rfind(name, 0, first.start)) : block[-1].end]
    if any(item.is_done is not None for item in entries):
        return "\n".join([f"{name}:", *(" ".join(one.text.split()) for one in block)]), span
    return f"{name}: {', '.join(item.text.rstrip('.,;') for item in entries)}.", span


def list_words(question: str) -> str:
    """Return what else to search for, where a question asks for what is to be done; notes call that in few words."""
    listed = asked_list(question)
    if listed is None or listed.name:
        return ""
    return "todo tasks ☑" if listed.is_of_done else "todo tasks ☐"
