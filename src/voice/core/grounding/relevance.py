"""Whether what is cited has to do with the question.

Law: a verbatim answer to another question is ungrounded (ruling D5). When the question names one person, something that
is cited must be by or about that person. Otherwise the rule is lexical and generous: the answer with its cited rows
must hold a name of those the question holds (one that says "No, …" may give another), and either share a telling word
with the question, bring the kind of thing it asks for, or rest on a row that retrieval ranked near the best. Only where
all of these fail is an answer off the point.

Measured: docs/grounding-measured.md, "Relevance".
"""

from collections.abc import Sequence

from voice.core.grounding.asked import asked_kinds, brings
from voice.core.grounding.asker import is_of_somebody_else
from voice.core.grounding.fit import fit_of_passages
from voice.core.grounding.inquiry import Inquiry
from voice.core.grounding.passages import Passage, speaker_of
from voice.core.grounding.preambles import opens_with_no
from voice.core.grounding.qualified import drops_a_kind
from voice.core.grounding.ties import Ties, are_tied
from voice.core.grounding.values import Evidence
from voice.core.grounding.who import asked_names, is_of_person, only_person, people_of, same_name
from voice.core.grounding.whose import Whose
from voice.core.text.synonyms import synonyms_of
from voice.core.text.words import Word, content_words, words

_NEAR_BEST = 0.3
"""A cited row with this share of the best row's retrieval score is taken to be on the subject."""


def is_relevant(question: str, answer: str, cited: Sequence[Passage], sent: Sequence[Evidence]) -> bool:
    """Return whether an answer with its cited sentences is about the question (ruling D5).

    Args:
        question: the person's question.
        answer: the draft's answer.
        cited: the sentences that located spans touch.
        sent: all rows of the prompt, for the people it knows and for comparing relevance.
    """
    asked = words(question)
    names = asked_names(question, asked, sent)
    person = only_person(names, people_of(sent))
    if person is not None and not any(is_of_person(person.key, passage) for passage in cited):
        return False
    if cited and (_is_told_of_another(question, cited, sent) or _is_anothers(question, cited, sent)):
        return False
    if not are_tied(Ties.of(question, sent), cited) or drops_a_kind(answer, cited):
        return False
    rows = {passage.row.alias: passage.row for passage in cited}
    held = _held(answer, list(rows.values()))
    if names and not opens_with_no(answer) and not any(_holds(held, name) for name in names):
        return False
    topics = {word.stem for word in content_words(question)} - {name.stem for name in names}
    if not topics or topics & held or any(synonyms_of(topic) & held for topic in topics):
        return True
    if any(brings(kind, row) for kind in asked_kinds(question) for row in rows.values()):
        return True
    return _is_near_best(list(rows.values()), sent)


def speaks_to_claim(claim: str, answer: str, cited: Sequence[Passage], sent: Sequence[Evidence]) -> bool:
    """Return whether an answer with its cited sentences is about what a claim is about.

    What speaks against a claim need not hold what the claim says: "I work at Acme" is answered by "I work at Globex".

    Args:
        claim: what the person claims.
        answer: the draft's answer.
        cited: the sentences that located spans touch.
        sent: all rows of the prompt.
    """
    found = words(claim)
    person = only_person(asked_names(claim, found, sent), people_of(sent))
    if person is not None and not any(is_of_person(person.key, passage) for passage in cited):
        return False
    if cited and _is_told_of_another(claim, cited, sent):
        return False
    rows = {passage.row.alias: passage.row for passage in cited}
    held = _held(answer, list(rows.values()))
    telling = [word for word in found if not word.is_stop]
    if any(_holds(held, word) or synonyms_of(word.stem) & held for word in telling):
        return True
    return _is_near_best(list(rows.values()), sent)


def _is_told_of_another(question: str, cited: Sequence[Passage], sent: Sequence[Evidence]) -> bool:
    """Return whether all cited sentences that hold words of the question say them of somebody else."""
    asked = Inquiry.of(question, sent)
    taking_up = [one for one in fit_of_passages(asked, cited).sentences if one.own or one.others]
    return asked.is_compared and bool(taking_up) and all(one.own < one.others for one in taking_up)


def _is_anothers(question: str, cited: Sequence[Passage], sent: Sequence[Evidence]) -> bool:
    """Return whether all cited sentences tell of others what is asked of the asker, or of a named one's things."""
    if all(is_of_somebody_else(question, passage) for passage in cited):
        return True
    whose = Whose.of(question, sent)
    return whose is not None and all(map(whose.is_anothers, cited))


def _is_near_best(rows: Sequence[Evidence], sent: Sequence[Evidence]) -> bool:
    """Return whether retrieval ranked one of the cited rows near the best."""
    best = max((row.relevance for row in sent), default=0.0)
    return max((row.relevance for row in rows), default=0.0) >= _NEAR_BEST * best > 0


def _held(answer: str, rows: Sequence[Evidence]) -> frozenset[str]:
    """Return every stem and key of the answer and of what its cited rows stand for."""
    texts = [answer, *(" ".join((row.text, speaker_of(row) or "", *row.entity_names)) for row in rows)]
    said = [word for text in texts for word in words(text)]
    return frozenset(word.stem for word in said) | frozenset(word.key for word in said)


def _holds(held: frozenset[str], name: Word) -> bool:
    return name.stem in held or name.key in held or any(same_name(name.key, key) for key in held)
