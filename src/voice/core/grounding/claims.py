"""One sentence against its evidence: the verdict, its score, its reasons.

Law: a sentence is supported when its support score is at or under the policy's threshold and no hard check fired;
partly supported is unsupported. A question is not a claim, but one that brings names, numbers or dates of its own is
an unsupported one. Nothing here knows ratios, policies beyond the threshold, or what happens next.

Source: DESIGN 6 stages 3 and 4; ruling D1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import regex

from voice.core.grounding.figures import figure_findings
from voice.core.grounding.findings import Finding
from voice.core.grounding.kinds import is_quotation, kind_of
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import polarity_findings
from voice.core.grounding.support import Support, support_of
from voice.core.grounding.values import Evidence, SentenceKind, Verdict
from voice.core.grounding.who import People, about_subject, name_findings, person_findings
from voice.core.text.spans import locate
from voice.core.text.words import Word, words

_QUOTED = regex.compile(r"[\"“„«]([^\"“”„«»]{8,}?)[\"”“»]")
_QUOTE_WORDS = 4
_HARD = 2.0
_TAKES_UP = 0.25
"""The least share of a question's weight that the cited rows must hold for it to rest on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a draft's sentences are judged against."""

    rows: tuple[Evidence, ...]
    """The rows with a located span."""
    passages: tuple[Passage, ...]
    """Their sentences that the spans touch."""
    people: People
    asked: frozenset[str] = frozenset()
    """The stems of the person's question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The outcome for one sentence, before the draft as a whole is considered."""

    kind: SentenceKind
    verdict: Verdict
    score: float | None
    weight: float
    content: tuple[Word, ...]
    support: Support | None
    findings: tuple[Finding, ...]


def judge_sentence(text: str, grounds: Grounds, threshold: float) -> Judged:
    """Return the outcome for the sentence `text` (ruling D1)."""
    kind = kind_of(text, grounds.asked)
    found = words(text)
    content = tuple(word for word in found if not word.is_stop)
    if kind == "question":
        return _judge_question(text, found, content, grounds)
    if kind == "meta" or not content:
        return Judged(
            kind="meta", verdict="not_a_claim", score=None, weight=0.0, content=content, support=None, findings=()
        )
    whole = support_of(found, grounds.passages)
    own = about_subject(text, found, grounds.passages, grounds.people)
    support = whole if len(own) == len(grounds.passages) else support_of(found, own)
    findings = [
        *hard_findings(text, found, support, grounds),
        *person_findings(found, whole, support, grounds.people),
    ]
    score = total_score(support, findings)
    return Judged(
        kind=kind,
        verdict=_verdict(score, findings, threshold),
        score=round(score, 4),
        weight=float(len(content)),
        content=content,
        support=support,
        findings=tuple(findings),
    )


def unsupportedness(judged: Judged) -> float:
    """Return one number for how little a sentence is supported: its score, and two for each hard check that fired.

    A sentence that is no claim counts by its content, so that a benchmark can rank it. Over the threshold exactly when
    a claim is not supported.
    """
    fired = {finding.flag for finding in judged.findings if finding.effect != "note"}
    score = judged.score if judged.score is not None else judged.support.score if judged.support else 0.0
    return score + _HARD * len(fired)


def as_claim(judged: Judged) -> Judged:
    """Return a question judged as if it were a claim, for an answer that holds nothing but questions.

    Such an answer is grounded when its questions take up what the cited rows say and bring nothing of their own.
    """
    if judged.kind != "question" or judged.support is None or not judged.content:
        return judged
    takes_up = 1 - judged.support.features.lacking >= _TAKES_UP and not judged.findings
    return replace(
        judged,
        verdict="supported" if takes_up else "unsupported",
        score=round(judged.support.score, 4),
        weight=float(len(judged.content)),
    )


def total_score(support: Support, findings: Sequence[Finding]) -> float:
    """Return the support score with the notes' weights added; higher is less supported."""
    return support.score + sum(finding.weight for finding in findings if finding.effect == "note")


def hard_findings(text: str, found: Sequence[Word], support: Support, grounds: Grounds) -> list[Finding]:
    """Return everything that the hard checks have to say on a claim."""
    return [
        *figure_findings(text, found, support.used, support.word_recall),
        *polarity_findings(text, found, support),
        *name_findings(text, found, grounds.passages, grounds.rows),
        *_quotation_findings(text, grounds.rows),
    ]


def _verdict(score: float, findings: Sequence[Finding], threshold: float) -> Verdict:
    effects = {finding.effect for finding in findings}
    if "contradicted" in effects:
        return "contradicted"
    return "unsupported" if "unsupported" in effects or score > threshold else "supported"


def _judge_question(text: str, found: Sequence[Word], content: tuple[Word, ...], grounds: Grounds) -> Judged:
    """Return the outcome for a question: no claim, unless it smuggles in what the evidence lacks."""
    support = support_of(found, grounds.passages)
    smuggled = [
        Finding(
            flag="smuggled", text=f"a question brings in what the sources lack: {finding.text}", effect="unsupported"
        )
        for finding in (
            *figure_findings(text, found, grounds.passages, 0.0),
            *name_findings(text, found, grounds.passages, grounds.rows),
        )
    ]
    return Judged(
        kind="question",
        verdict="unsupported" if smuggled else "not_a_claim",
        score=round(support.score, 4) if smuggled else None,
        weight=float(len(content)) if smuggled else 0.0,
        content=content,
        support=support,
        findings=tuple(smuggled),
    )


def _quotation_findings(text: str, rows: Sequence[Evidence]) -> list[Finding]:
    """Return a finding when the claim puts words in quotation marks that no cited row holds."""
    quotes = [text.strip().removeprefix("> ").strip('"“”„«». ')] if is_quotation(text) else _QUOTED.findall(text)
    for quote in quotes:
        quoted = words(quote)
        is_title = sum(word.is_capital for word in quoted) > len(quoted) / 2
        if len(quoted) >= _QUOTE_WORDS and not is_title and not any(locate(quote, row.text).status for row in rows):
            reason = "the answer quotes words that no cited source holds"
            return [Finding(flag="quotation", text=reason, effect="unsupported")]
    return []
