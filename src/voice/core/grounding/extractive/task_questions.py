"""Answer questions for tasks from the check boxes of notes.

Law: answers are open items (or done ones, if asked for) of lists with boxes, and items under a heading that names
tasks; each item says whether it is done.
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


class Tasks(NamedTuple):
    """A question for open or done tasks."""

    about: frozenset[str]
    """Stems of the topic ("tasks for the garden"); empty: any."""
    is_of_done: bool

    def items(self, evidence: Sequence[Evidence]) -> Iterator[EvidenceSentence]:
        """Yield the sentences of `evidence` that are such items, in order."""
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
    """Parse a question for tasks; None if it is none."""
    text = question.partition("\n")[0]
    if opening_phrase("tasks", "asks").match(text) is None or every_phrase("tasks", "tasks").search(text) is None:
        return None
    silent = words_of_no_topic() | every_word("tasks", "no_topic")
    about = frozenset(word.stem for word in words(text) if not word.is_stop and word.key not in silent)
    # "What has to be done?" asks for what is not done.
    rest = every_phrase("tasks", "tasks").sub(" ", text)
    return Tasks(about, every_phrase("tasks", "done").search(rest) is not None)


def tasks_in(question: str, evidence: Sequence[Evidence]) -> list[EvidenceSentence]:
    """Return the tasks in `evidence` that `question` asks for."""
    asked = parse_task_question(question)
    return [] if asked is None else list(asked.items(evidence))


def item_text(item: ListItem) -> str:
    """Return an item in words, without bullet and box."""
    return _STATE[item.is_done] + item.text


def task_draft(items: Sequence[EvidenceSentence]) -> Draft:
    """Return a draft of the first `MAX_TASKS` items, grouped by list under its heading."""
    sentences: dict[str, DraftSentence] = {}
    for block in _blocks(items[:MAX_TASKS]):
        line, span = _block_text(block)
        source = DraftSource(source_id=block[0].row.alias, span=span)
        sentences.setdefault(line, DraftSentence(text=f"\n{line}", sources=(source,)))
    return Draft(sentences=tuple(sentences.values()))


def _blocks(items: Sequence[EvidenceSentence]) -> list[list[EvidenceSentence]]:
    """Group items by list; an item without a heading is its own group."""
    blocks: dict[tuple[str, str, int], list[EvidenceSentence]] = {}
    for place, sentence in enumerate(items):
        name = heading_above(sentence.row.text, sentence.start)
        blocks.setdefault((sentence.row.alias, name, -1 if name else place), []).append(sentence)
    return list(blocks.values())


def _block_text(block: Sequence[EvidenceSentence]) -> tuple[str, str]:
    """Return the answer text of one list, and the source span."""
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
    """Return extra search terms for a question for tasks; empty otherwise."""
    asked = parse_task_question(question)
    if asked is None:
        return ""
    return "todo tasks ☑" if asked.is_of_done else "todo tasks ☐"
