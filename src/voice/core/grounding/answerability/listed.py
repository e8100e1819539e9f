"""What is to be done, or was: "What is on my to-do list?", "What do I still have to buy?".

Law: a question for tasks is answered by the items of lists with boxes that are not done (or done, where that is asked),
and by those of a list that is called so above; an item says whether it is done.

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


class Tasks(NamedTuple):
    """A question for what is to be done, or was."""

    about: frozenset[str]
    """Stems of what it is to be about, where the question says it: "tasks for the garden"."""
    is_of_done: bool

    def items(self, evidence: Sequence[Evidence]) -> Iterator[Passage]:
        """Yield the sentences of `evidence` that are items of such a list, in their order."""
        for row in evidence:
            for passage in all_passages(row):
                item = item_of(passage.text)
                if item is not None and passage.text in row.shown and self._holds(item, passage):
                    yield passage

    def _holds(self, item: Item, passage: Passage) -> bool:
        above = heading_above(passage.row.text, passage.start)
        if self.about and self.about.isdisjoint(passage.stems | stems_in(above)):
            return False
        if item.is_done is None:
            return not self.is_of_done and _CALLED_SO.search(above) is not None
        return item.is_done is self.is_of_done


def asked_tasks(question: str) -> Tasks | None:
    """Return which tasks `question` asks for; None where it asks for none."""
    text = question.partition("\n")[0]
    if _ASKS.match(text) is None or _TO_DO.search(text) is None:
        return None
    about = frozenset(word.stem for word in words(text) if not word.is_stop and word.key not in _NO_TOPIC)
    return Tasks(about, _DONE.search(text) is not None)


def listed_in(question: str, evidence: Sequence[Evidence]) -> list[Passage]:
    """Return the tasks that `question` asks for, of those that `evidence` holds."""
    asked = asked_tasks(question)
    return [] if asked is None else list(asked.items(evidence))


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
    """Return the items by the list that they stand in; what stands under no name is alone."""
    blocks: dict[tuple[str, str, int], list[Passage]] = {}
    for place, passage in enumerate(items):
        name = heading_above(passage.row.text, passage.start)
        blocks.setdefault((passage.row.alias, name, -1 if name else place), []).append(passage)
    return list(blocks.values())


def _told_together(block: Sequence[Passage]) -> tuple[str, str]:
    """Return the items of one list as they are told, and the text they stand in."""
    first = block[0]
    text, name = first.row.text, heading_above(first.row.text, first.start)
    entries = [item for one in block if (item := item_of(one.text))]
    if not name:
        return f"{told_of(entries[0]).rstrip('.')}.", first.text
    span = text[max(0, text.rfind(name, 0, first.start)) : block[-1].end]
    if any(item.is_done is not None for item in entries):
        return "\n".join([f"{name}:", *(" ".join(one.text.split()) for one in block)]), span
    return f"{name}: {', '.join(item.text.rstrip('.,;') for item in entries)}.", span


def list_words(question: str) -> str:
    """Return what else to search for, where a question asks for what is to be done; notes call that in few words."""
    asked = asked_tasks(question)
    if asked is None:
        return ""
    return "todo tasks ☑" if asked.is_of_done else "todo tasks ☐"
