"""The sentences of an answer together: what some of them say depends on those around them.

Law: a bare "Yes." or "No, she did not." adds nothing where the claim beside it is supported and bears it out
(`openings`); it is then no claim of its own. Everywhere else it stays what it is alone: a claim that nothing supports.
A heading whose every telling word is known already announces and is no claim. A pronoun means whom the sentences before
it make certain (`referents`).

Source: DESIGN 6 stage 4 (negation); ruling D1.
"""

from collections.abc import Sequence
from dataclasses import replace

from voice.core.grounding.bare import Echo, echo_of
from voice.core.grounding.claims import Grounds, Judged, brings_words, judge_sentence
from voice.core.grounding.headings import is_heading
from voice.core.grounding.openings import bears_yes, no_beside
from voice.core.grounding.opposing import with_opposites
from voice.core.grounding.referents import named_sentences
from voice.core.text.negation import has_negation
from voice.core.text.stems import stem_of
from voice.core.text.words import Word, words


def judge_sentences(texts: Sequence[str], grounds: Grounds, threshold: float) -> list[Judged]:
    """Return the outcome for each sentence of an answer, in order (ruling D1)."""
    named = named_sentences(texts, grounds.people)
    asked = _asked_about(grounds)
    alone = [
        _announced(outcome, grounds) if is_heading(texts, index) else outcome
        for index, outcome in enumerate(
            judge_sentence(text, grounds, threshold, named=whom, before="\n".join((asked, *texts[:place])))
            for place, (text, whom) in enumerate(zip(texts, named, strict=True))
        )
    ]
    alone = with_opposites(texts, alone, grounds)
    return [
        _beside(text, judged, _neighbour(index, texts, alone), grounds) if judged.is_bare else judged
        for index, (text, judged) in enumerate(zip(texts, alone, strict=True))
    ]


def _asked_about(grounds: Grounds) -> str:
    """Return the question's words, the known people among them written as names."""
    known = (name.capitalize() for name in grounds.people.names if stem_of(name) in grounds.asked)
    return " ".join((*sorted(grounds.asked), *sorted(known)))


def _announced(judged: Judged, grounds: Grounds) -> Judged:
    """Return a heading as no claim when it brings nothing of its own."""
    if judged.verdict == "contradicted" or brings_words(judged.content, grounds):
        return judged
    return replace(judged, kind="meta", verdict="not_a_claim", score=None, weight=0.0, findings=(), parts=())


def _neighbour(index: int, texts: Sequence[str], alone: Sequence[Judged]) -> tuple[str, Judged] | None:
    """Return the claim that follows a sentence, else the one before it, with its outcome."""
    places = (place for place in (index + 1, index - 1) if 0 <= place < len(alone))
    return next(
        ((texts[place], alone[place]) for place in places if alone[place].content and alone[place].weight), None
    )


def _beside(text: str, judged: Judged, neighbour: tuple[str, Judged] | None, grounds: Grounds) -> Judged:
    if neighbour is None or neighbour[1].verdict != "supported":
        return judged
    beside, claim = neighbour
    theirs = words(beside)
    echo = echo_of(words(text), theirs)
    if echo is None or not _is_borne_out(echo, beside, theirs, claim, grounds):
        return judged
    return replace(judged, kind="meta", verdict="not_a_claim", score=None, weight=0.0, findings=())


def _is_borne_out(echo: Echo, beside: str, theirs: Sequence[Word], claim: Judged, grounds: Grounds) -> bool:
    """Return whether the statement `beside` a bare yes or no bears it out (`openings`)."""
    used = claim.support.used if claim.support else ()
    if echo == "no":
        return not no_beside(grounds.question, beside, theirs, used)
    return not has_negation(beside, theirs) and bears_yes(grounds.question, beside, theirs, used)
