"""Whether what is cited has to do with the question.

Law: a verbatim answer to another question is ungrounded (ruling D5). The rule is lexical and generous: the answer with
its cited rows must hold a name of those the question holds, and either share a telling word with the question, bring
the kind of thing it asks for, or rest on a row that retrieval ranked near the best. Only where all of these fail is an
answer off the point.
"""

from collections.abc import Sequence

from voice.core.grounding.asked import asked_kinds, brings
from voice.core.grounding.passages import speaker_of
from voice.core.grounding.values import Evidence
from voice.core.grounding.who import proper_names, same_name
from voice.core.text.words import Word, content_words, words

_NEAR_BEST = 0.5


def is_relevant(question: str, answer: str, cited: Sequence[Evidence], sent: Sequence[Evidence]) -> bool:
    """Return whether an answer with its cited rows is about the question (ruling D5).

    Args:
        question: the person's question.
        answer: the draft's answer.
        cited: the rows with a located span.
        sent: all rows of the prompt, for comparing relevance.
    """
    asked = words(question)
    said = [*words(answer), *(word for row in cited for word in row_words(row))]
    held = {word.stem for word in said} | {word.key for word in said}
    names = proper_names(question, asked)
    if names and not any(_is_held(name, held) for name in names):
        return False
    topics = {word.stem for word in content_words(question)} - {name.stem for name in names}
    if not topics or topics & held:
        return True
    kinds = asked_kinds(question)
    if kinds and any(brings(kind, row) for kind in kinds for row in cited):
        return True
    best = max((row.relevance for row in sent), default=0.0)
    return max((row.relevance for row in cited), default=0.0) >= _NEAR_BEST * best > 0


def row_words(row: Evidence) -> list[Word]:
    """Return every word that a row stands for: its text, its speaker, the entities it names."""
    return words(" ".join((row.text, speaker_of(row) or "", *row.entity_names)))


def _is_held(name: Word, held: set[str]) -> bool:
    return name.stem in held or name.key in held or any(same_name(name.key, key) for key in held)
