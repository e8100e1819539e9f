"""Answer questions for tasks from the check boxes of notes.

Law: a question for tasks is answered by the items of lists with boxes that are not done (or done, where that is asked),
and by those of a list that is called so above; an item says whether it is done.

Source: ruling D5 (evidence must say something of what is asked about); DESIGN 7 (`extractive`).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from voice.core.grounding.extractive.evidence_sentences import EvidenceSentence, sentences_of
from voice.core.grounding.extractive.question_fit import words_of_no_topic
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence
from voice.core.text.language_data import every_phrase, every_word, opening_phrase
from voice.core.text.markdown import ListItem, heading_above, list_item_of
from voice.core.text.words import stems_in, words

_STATE = {True: "Done: ", False: "To do: ", None: ""}
MAX_TASKS = 12
"""So many items are given."""


class Tasks(NamedTuple):
    """A question for what is to be done, or was."""

    about: frozenset[str]
    """Stems of what it is to be about, where the question says it: "tasks for the garden"."""
    is_of_done: bool

    def items(self, evidence: Sequence[Evidence]) -> Iterator[EvidenceSentence]:
        """Yield the sentences of `evidence` that are items of such a list, in their order."""
        for row in evidence:
            for sentence in sentences_of(row):
                item = list_item_of(sentence.text)
                if item is not None and sentence.text in row.shown and self._holds(item, sentence):
                    yield sentence

    def _holds(self, item: ListItem, sentence: EvidenceSentence) -> bool:
        above = heading_above(sentence.row.text, sentence.start)
        placed = stems_in(f"{above}\n{sentence.row.context or ''}")
        if self.about and self.about.isdisjoint(sentence.stems | placed):
            return False
        if item.is_done is None:
            return not self.is_of_done and every_phrase("tasks", "called").search(above) is not None
        return item.is_done is self.is_of_done


def parse_task_question(question: str) -> Tasks | None:
    """Return which tasks `question` asks for; None where it asks for none."""
    text = question.partition("\n")[0]
    if opening_phrase("tasks", "asks").match(text) is None or every_phrase("tasks", "tasks").search(text) is None:
        return None
    silent = words_of_no_topic() | every_word("tasks", "no_topic")
    about = frozenset(word.stem for word in words(text) if not word.is_stop and word.key not in silent)
    # "What has to be done?" asks for what is not done.
    rest = every_phrase("tasks", "tasks").sub(" ", text)
    return Tasks(about, every_phrase("tasks", "done").search(rest) is not None)


def tasks_in(question: str, evidence: Sequence[Evidence]) -> list[EvidenceSentence]:
    """Return the tasks that `question` asks for, of those that `evidence` holds."""
    asked = parse_task_question(question)
    return [] if asked is None else list(asked.items(evidence))


def item_text(item: ListItem) -> str:
    """Return an item in words, without its dash and its box."""
    return _STATE[item.is_done] + item.text


def task_draft(items: Sequence[EvidenceSentence]) -> Draft:
    """Return the draft that gives items: those of one list together, under what stands above it."""
    told: dict[str, DraftSentence] = {}
    for block in _blocks(items[:MAX_TASKS]):
        line, span = _told_together(block)
        source = DraftSource(source_id=block[0].row.alias, span=span)
        told.setdefault(line, DraftSentence(text=f"\n{line}", sources=(source,)))
    return Draft(sentences=tuple(told.values()))


def _blocks(items: Sequence[EvidenceSentence]) -> list[list[EvidenceSentence]]:
    """Return the items by the list that they stand in; what stands under no name is alone."""
    blocks: dict[tuple[str, str, int], list[EvidenceSentence]] = {}
    for place, sentence in enumerate(items):
        name = heading_above(sentence.row.text, sentence.start)
        blocks.setdefault((sentence.row.alias, name, -1 if name else place), []).append(sentence)
    return list(blocks.values())


def _told_together(block: Sequence[EvidenceSentence]) -> tuple[str, str]:
    """Return the items of one list as they are told, and the text they stand in."""
    first = block[0]
    text, name = first.row.text, heading_above(first.row.text, first.start)
    entries = [item for one in block if (item := list_item_of(one.text))]
    if not name:
        return f"{item_text(entries[0]).rstrip('.')}.", first.text
    span = text[max(0, text.rfind(name, 0, first.start)) : block[-1].end]
    if any(item.is_done is not None for item in entries):
        return "\n".join([f"{name}:", *(" ".join(one.text.split()) for one in block)]), span
    return f"{name}: {', '.join(item.text.rstrip('.,;') for item in entries)}.", span


def task_search_words(question: str) -> str:
    """Return what else to search for, where a question asks for what is to be done; notes call that in few words."""
    asked = parse_task_question(question)
    if asked is None:
        return ""
    return "todo tasks ☑" if asked.is_of_done else "todo tasks ☐"
