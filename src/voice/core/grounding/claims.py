"""One sentence against its evidence: the verdict, its score, its reasons.

Law: a sentence is supported when its support score is at or under the policy's threshold and no hard check fired;
partly supported is unsupported. A question is not a claim, but one that brings anything of its own is an unsupported
one: a name, a number, a date, a telling word that neither the evidence nor the person used, or a "why" whose answer is
presupposed against the evidence. A sentence of small words alone stands whole in the evidence or is unsupported.
Nothing here knows ratios, policies beyond the threshold, or what happens next.

Source: DESIGN 6 stages 3 and 4; ruling D1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import regex

from voice.core.grounding.additions import addition_findings
from voice.core.grounding.asked import ASKING
from voice.core.grounding.attribution import leaning_findings
from voice.core.grounding.bare import assent_of
from voice.core.grounding.belonging import belonging_findings
from voice.core.grounding.cells import cell_findings
from voice.core.grounding.comparisons import comparison_findings
from voice.core.grounding.copies import copy_findings
from voice.core.grounding.doubts import doubt_of
from voice.core.grounding.figures import figure_findings
from voice.core.grounding.findings import Finding
from voice.core.grounding.halves import MARGIN, WeighedPart, half_true, weigh_parts
from voice.core.grounding.kinds import META_WORDS, is_quotation, kind_of, told_in
from voice.core.grounding.limits import limit_findings
from voice.core.grounding.modality import cause_findings, intent_findings, modality_findings
from voice.core.grounding.openings import no_findings
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import polarity_findings
from voice.core.grounding.portions import portion_findings
from voice.core.grounding.preambles import stated
from voice.core.grounding.referents import pronoun_findings
from voice.core.grounding.relations import relation_findings
from voice.core.grounding.support import Support, appended, credited_share, support_of, tempered, unheld
from voice.core.grounding.values import Evidence, GroundingPolicy, SentenceKind, Verdict
from voice.core.grounding.who import People, about_subject, name_findings, person_findings
from voice.core.text.patterns import late_pattern
from voice.core.text.spans import locate
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_QUOTED = late_pattern(r"[\"“„«]([^\"“”„«»]{8,}?)[\"”“»]")
_QUOTE_WORDS = 4
_HARD = 2.0
_JUST_OVER = GroundingPolicy().support_threshold + 0.01
_SLIGHT = 0.1
"""What a slight finding makes of a score: over the threshold, in the order of the scores."""
_ORDER_BEGINS = 3
"""A claim quotes an order when it holds its first words, which say who is addressed and what they are to do."""
_BY_ROW = frozenset({"name", "quotation"})
_STATES = 2
"""Telling words from which on the beginning of a question states something."""
_PRESUPPOSING = late_pattern(
    r"^\W*(?:and |but |so )?(?:why|how come|since when|when|where|who|what|how|whom|whose|which)\b"
    r"(?! (?:not|don['’]t (?:you|we)|didn['’]t you|would|could|might|if))",
    regex.IGNORECASE,
)
_OPEN = META_WORDS | frozenset(
    stem_of(word)
    for word in ASKING
    | word_set(
        "mean fit weigh important hear talk discuss look true right next today together different difference compare "
        "choose prefer option step idea example reason useful interesting interested worth curious wonder explore part "
        "tomorrow watch read play try enjoy favorite favourite changed change make sense aspect topic thought main "
        "point wish learn jetzt bedeutet bedeuten passt passen wiegt frage fragst wichtig denkst meinst zusammen davon "
        "ahora significa encaja pesa preguntas pregunta importante piensas"
    )
)
"""Words that a question may bring because they presuppose nothing."""


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
    question: str = ""
    """The question itself, for what a "No, …" denies."""

    @property
    def aliases(self) -> frozenset[str]:
        """The names of the rows in the prompt."""
        return frozenset(row.alias for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPart:
    """The outcome for one part of a compound sentence; `start:end` are offsets into the sentence."""

    start: int
    end: int
    verdict: Verdict
    findings: tuple[Finding, ...]


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
    parts: tuple[JudgedPart, ...] = ()
    """Of a compound sentence, in order."""

    @property
    def is_bare(self) -> bool:
        """Whether it states something in small words alone that no evidence holds."""
        return any(finding.flag == "bare" for finding in self.findings)


def judge_sentence(
    text: str, grounds: Grounds, threshold: float, *, named: str | None = None, before: str | None = None
) -> Judged:
    """Return the outcome for the sentence `text` (ruling D1).

    Args:
        text: the sentence.
        grounds: what it is judged against.
        threshold: the support score over which it is unsupported.
        named: the same sentence with its pronouns replaced by whom they mean (`referents`), for asking who it is about.
        before: what was said before it, for asking whom its other pronouns mean; without it nobody asks.
    """
    kind = kind_of(text, grounds.asked)
    found = stated(text, words(text), grounds.aliases)
    grounds = _without_orders(found, grounds)
    content = tuple(word for word in found if not word.is_stop)
    if kind == "question":
        return _judge_question(text, found, grounds, threshold)
    if kind == "meta":
        return Judged(
            kind="meta", verdict="not_a_claim", score=None, weight=0.0, content=content, support=None, findings=()
        )
    if not content or assent_of(words(text)) is not None:
        return _judge_bare(kind, words(text), grounds)
    return _judge_claim(text, named or text, before, kind, grounds, threshold)


def _without_orders(found: Sequence[Word], grounds: Grounds) -> Grounds:
    """Return what may support a claim: an order to the model states nothing, but may be quoted as the order it is.

    What shares no telling word with the claim supports nothing of it, order or not, and is not read for that.
    """
    stems = {word.stem for word in found if not word.is_stop} or {word.stem for word in found}
    if not any(passage.is_order for passage in grounds.passages if not stems.isdisjoint(passage.stems)):
        return grounds
    said = [word.key for word in found]
    runs = {tuple(said[start : start + _ORDER_BEGINS]) for start in range(len(said))}
    kept = (one for one in grounds.passages if not one.is_order or _beginning(one) in runs)
    return replace(grounds, passages=tuple(kept))


def _beginning(order: Passage) -> tuple[str, ...]:
    return tuple(word.key for word in order.words[:_ORDER_BEGINS])


def _judge_claim(
    text: str, named: str, before: str | None, kind: SentenceKind, grounds: Grounds, threshold: float
) -> Judged:
    """Return the outcome for a sentence that states something in telling words."""
    found = stated(text, words(text), grounds.aliases)
    whole = support_of(found, grounds.passages)
    about = found if named == text else stated(named, words(named), grounds.aliases)
    own = about_subject(named, about, grounds.passages, grounds.people)
    support = whole if len(own) == len(grounds.passages) else tempered(support_of(found, own), whole)
    findings = [
        *hard_findings(text, found, support, grounds),
        *modality_findings(text, found, support, grounds.passages, grounds.question),
        *intent_findings(text, found, support, grounds.passages),
        *cause_findings(text, found, grounds.passages),
        *limit_findings(text, found, support, grounds.passages),
        *portion_findings(text, found, support),
        *belonging_findings(text, found, support),
        *cell_findings(text, found, grounds.passages),
        *no_findings(grounds.question, text, found, support.used),
        *addition_findings(found, support, grounds.asked),
        *person_findings(about, whole, support, grounds.passages),
        *relation_findings(text, found, grounds.passages),
        *leaning_findings(about, grounds.passages, grounds.people),
        *(pronoun_findings(text, before, grounds.passages, grounds.people) if before is not None else ()),
    ]
    weighed = weigh_parts(text, found, support, own)
    findings += half_true(text, weighed, total_score(support, findings), threshold)
    score = total_score(support, findings)
    content = tuple(word for word in found if not word.is_stop)
    judged = Judged(
        kind=kind,
        verdict=_verdict(score, findings, threshold),
        score=round(score, 4),
        weight=float(len(content)),
        content=content,
        support=support,
        findings=tuple(findings),
    )
    return replace(judged, parts=tuple(_judged_part(text, one, judged, grounds, threshold) for one in weighed))


def _judged_part(text: str, weighed: WeighedPart, whole: Judged, grounds: Grounds, threshold: float) -> JudgedPart:
    """Return the outcome for one part: of a supported sentence every part is supported.

    A name or a quotation of a part is one of its sentence: where the sentence's are real, the part's are.
    """
    start, end = weighed.part
    if whole.verdict == "supported":
        return JudgedPart(start=start, end=end, verdict="supported", findings=())
    piece = text[start:end]
    own = words(piece)
    findings = _compared_findings(piece, own, weighed.support)
    if any(finding.flag in _BY_ROW for finding in whole.findings):
        findings += _row_findings(piece, own, grounds)
    fired = tuple(finding for finding in findings if finding.effect != "note")
    verdict = _verdict(weighed.score - MARGIN, fired, threshold)
    return JudgedPart(start=start, end=end, verdict=verdict, findings=fired)


def unsupportedness(judged: Judged) -> float:
    """Return one number for how little a sentence is supported: its score, and two for each hard check that fired.

    A slight finding lifts it just over the threshold. A sentence that is no claim counts by its content, so that a
    benchmark can rank it. Over the threshold exactly when a claim is not supported.
    """
    fired = [finding for finding in judged.findings if finding.effect != "note"]
    score = judged.score if judged.score is not None else judged.support.score if judged.support else 0.0
    score += _HARD * len({finding.flag for finding in fired if not finding.is_slight})
    is_marked = any(finding.is_slight for finding in fired)
    return max(score, _JUST_OVER + _SLIGHT * score) if is_marked else score


def as_claim(judged: Judged, threshold: float) -> Judged:
    """Return a question judged as if it were a claim, for an answer that was to ask and holds nothing but questions.

    It is grounded as a claim is: its words are held by what is cited, and it brings nothing of its own.
    """
    if judged.kind != "question" or judged.support is None or not judged.content:
        return judged
    return replace(
        judged,
        verdict=_verdict(judged.support.score, judged.findings, threshold),
        score=round(judged.support.score, 4),
        weight=float(len(judged.content)),
    )


def total_score(support: Support, findings: Sequence[Finding]) -> float:
    """Return the support score together with what was noted (`doubts`); higher is less supported."""
    return doubt_of(unheld(support.features), appended(support.features), findings)


def hard_findings(text: str, found: Sequence[Word], support: Support, grounds: Grounds) -> list[Finding]:
    """Return everything that the hard checks have to say on a claim."""
    return [*_compared_findings(text, found, support), *_row_findings(text, found, grounds)]


def _compared_findings(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    """Return what the sentences that support a claim have to say on its figures, its negations and its comparisons."""
    return [
        *figure_findings(text, found, support.used, support.word_recall),
        *polarity_findings(text, found, support),
        *comparison_findings(text, found, support),
    ]


def _row_findings(text: str, found: Sequence[Word], grounds: Grounds) -> list[Finding]:
    """Return what all the evidence has to say on a claim: its names, its quotations, the sentence that it repeats."""
    return [
        *name_findings(text, found, grounds.passages, grounds.rows),
        *_quotation_findings(text, grounds.rows),
        *copy_findings(text, found, grounds.passages),
    ]


def _verdict(score: float, findings: Sequence[Finding], threshold: float) -> Verdict:
    effects = {finding.effect for finding in findings}
    if "contradicted" in effects:
        return "contradicted"
    return "unsupported" if "unsupported" in effects or score > threshold else "supported"


def _judge_question(text: str, found: Sequence[Word], grounds: Grounds, threshold: float) -> Judged:
    """Return the outcome for a question: no claim, unless it smuggles in what the evidence lacks."""
    content = tuple(word for word in found if not word.is_stop)
    support = support_of(found, grounds.passages)
    smuggled = [
        Finding(
            flag="smuggled", text=f"a question brings in what the sources lack: {finding.text}", effect="unsupported"
        )
        for finding in (
            *figure_findings(text, found, grounds.passages, 0.0),
            *name_findings(text, found, grounds.passages, grounds.rows),
            *_presupposed(text, found, support, grounds),
        )
    ]
    if brings_words(content, grounds):
        reason = "a question brings in what neither the sources nor the person said"
        smuggled.append(Finding(flag="smuggled", text=reason, effect="unsupported"))
    elif _tells_what_is_not_held(text, grounds, threshold):
        reason = "a question states first what the sources do not hold"
        smuggled.append(Finding(flag="smuggled", text=reason, effect="unsupported"))
    return Judged(
        kind="question",
        verdict="unsupported" if smuggled else "not_a_claim",
        score=round(support.score, 4) if smuggled else None,
        weight=float(len(content)) if smuggled else 0.0,
        content=content,
        support=support,
        findings=tuple(smuggled),
    )


def _tells_what_is_not_held(text: str, grounds: Grounds, threshold: float) -> bool:
    """Return whether a question states something before it asks that would be no supported claim by itself."""
    told = told_in(text)
    if told is None or sum(not word.is_stop for word in words(told)) < _STATES:
        return False
    return judge_sentence(told, grounds, threshold).verdict in ("unsupported", "contradicted")


def _presupposed(text: str, found: Sequence[Word], support: Support, grounds: Grounds) -> list[Finding]:
    """Return what contradicts the evidence in a question that takes its statement for granted ("Why did she …?")."""
    if not _PRESUPPOSING.search(text):
        return []
    findings = (
        *polarity_findings(text, found, support),
        *person_findings(found, support, support, grounds.passages),
    )
    return [finding for finding in findings if finding.effect == "contradicted"]


def brings_words(content: Sequence[Word], grounds: Grounds) -> bool:
    """Return whether a question holds a telling word that neither the cited rows nor the person's question hold."""
    own = [word for word in content if word.stem not in _OPEN and word.stem not in grounds.asked]
    said = frozenset(word.stem for row in grounds.rows for word in words(row.text)) | grounds.asked
    held = said.union(*(passage.stems for passage in grounds.passages))
    return any(not credited_share([word], held) for word in own)


def _judge_bare(kind: SentenceKind, found: Sequence[Word], grounds: Grounds) -> Judged:
    """Return the outcome for a sentence of small words alone: supported when a cited sentence is just that."""
    keys = [word.key for word in found]
    own = [passage for passage in grounds.passages if [word.key for word in passage.words] == keys]
    reason = "a sentence of small words alone states what no cited sentence is"
    return Judged(
        kind=kind,
        verdict="supported" if own else "unsupported",
        score=None,
        weight=1.0,
        content=tuple(found) if own else (),
        support=None,
        findings=() if own else (Finding(flag="bare", text=reason, effect="unsupported"),),
    )


def _quotation_findings(text: str, rows: Sequence[Evidence]) -> list[Finding]:
    """Return a finding when the claim puts words in quotation marks that no cited row holds."""
    quotes = [text.strip().removeprefix("> ").strip('"“”„«». ')] if is_quotation(text) else _QUOTED.findall(text)
    for quote in quotes:
        quoted = words(quote)
        is_title = sum(word.is_capital for word in quoted) > len(quoted) / 2
        likely = [row for row in rows if _may_hold(row.text, quoted)]
        if len(quoted) >= _QUOTE_WORDS and not is_title and not any(locate(quote, row.text).status for row in likely):
            reason = "the answer quotes words that no cited source holds"
            return [Finding(flag="quotation", text=reason, effect="unsupported")]
    return []


def _may_hold(text: str, quoted: Sequence[Word]) -> bool:
    """Return whether a row is worth searching for a quotation: most rows of a long page share no word with it."""
    if not text.isascii() or not all(word.text.isascii() for word in quoted):
        return True
    plain = text.lower()
    return any(word.key in plain for word in quoted if not word.is_stop)
