"""Who checked an answer, what was proven, and why nobody checked, in words.

Law: figures and names; no word of an answer. What is said of a verifier that is not believed says what follows, too.

How an answer is proven, in words: who checked its sentences, which were left out, and who did not check. Counts, rungs,
and the names of those who checked; never a word of a sentence that was left out (ruling D9a).

Source: DESIGN 6 "The verifier", "Calibration"; DESIGN 6; rulings D1, D9a.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final, TypedDict

from voice.core.grounding.answer_text import RUNG_IN_WORDS
from voice.core.grounding.values import LEXICAL_JUDGE, CutSentence, Rung, SentenceVerdict
from voice.core.grounding.verifier_calibration import CalibrationTally
from voice.core.grounding.verifier_values import MAX_FALSE_SUPPORT, CalibrationRecord, Lapse, Verification, VerifierInfo
from voice.core.session.values import DialogueExchange
from voice.core.text.display import counted

_LAPSES: Final[Mapping[Lapse, str]] = {
    "late": "did not answer in time",
    "failed": "failed",
    "malformed": "gave no usable answer",
    "budget": "was not asked, because a spending cap does not allow it",
    "not_believed": "is not believed",
}
_FOLLOWS: Final = "only sentences that quote your memory word for word are shown as proven"
_ANOTHER: Final = "name a stronger model with SURR_VERIFIER_MODEL"


class KindForm(TypedDict):
    """How a verifier did on claims of one kind."""

    kind: str
    false_claims: int
    false_supported: int
    true_claims: int
    true_doubted: int
    unanswered: int


class CalibrationForm(TypedDict):
    """How a verifier did when it was tried."""

    verifier: str
    checked_on: str
    claims: int
    unanswered: int
    false_support: float
    """Share of the false claims that it let pass, 0-1."""
    false_doubt: float
    """Share of the true claims that it did not let pass, 0-1."""
    believed: bool


def lapse_note(verification: Verification) -> str | None:
    """Return why a verifier gave no opinion on an answer, and what follows; None where it gave one."""
    if verification.lapse is None:
        return None
    who, why = name_of(verification.verifier), _LAPSES[verification.lapse]
    if verification.lapse == "not_believed":
        return f"{who} is not believed: {_why_not(verification.false_support)}. So {_FOLLOWS}; {_ANOTHER}"
    if verification.false_support is None:
        return f"{who} could not be tried: it {why}. Until it has been, {_FOLLOWS}; `voice verifier check` tries it"
    return f"{who} {why}; so here {_FOLLOWS}"


def lapse_in_words(lapse: Lapse) -> str:
    """Return what a verifier did instead of giving an opinion: "did not answer in time"."""
    return _LAPSES[lapse]


def belief_line(record: CalibrationRecord) -> str:
    """Return how a verifier did when it was tried, and whether it is believed."""
    did = (
        f"let {record.false_support:.1%} of false claims pass and doubted {record.false_doubt:.1%} of true ones "
        f"({record.claims} claims, {record.checked_on.isoformat()})"
    )
    unheard = "" if record.is_heard else f", and gave no usable answer on {record.unanswered} of them"
    return f"{did}{unheard}: {'believed' if record.is_believed else 'not believed'}"


def advice_of(record: CalibrationRecord) -> str:
    """Return what follows for a verifier that is not believed; empty for one that is."""
    return "" if record.is_believed else f"{_FOLLOWS}; {_ANOTHER}"


def name_of(info: VerifierInfo) -> str:
    """Return a verifier as a person is told of it: its model, where it has one."""
    model = info.version.split(" ", 1)[0]
    return f"the verifier {info.name} ({model})" if "/" in model else f"the verifier {info.name}"


def render_calibration(record: CalibrationRecord) -> CalibrationForm:
    """Return a calibration as JSON values."""
    return {
        "verifier": record.verifier,
        "checked_on": record.checked_on.isoformat(),
        "claims": record.claims,
        "unanswered": record.unanswered,
        "false_support": record.false_support,
        "false_doubt": record.false_doubt,
        "believed": record.is_believed,
    }


def render_kinds(by_kind: Mapping[str, CalibrationTally]) -> list[KindForm]:
    """Return how a verifier did by kind of claim, as JSON values."""
    return [
        {
            "kind": kind,
            "false_claims": one.false_claims,
            "false_supported": one.false_supported,
            "true_claims": one.true_claims,
            "true_doubted": one.true_doubted,
            "unanswered": one.unanswered,
        }
        for kind, one in by_kind.items()
    ]


def _why_not(false_support: float | None) -> str:
    if false_support is None or false_support <= MAX_FALSE_SUPPORT:
        return "it gave no usable answer to too much of what it was tried on"
    return (
        f"when it was tried it let {false_support:.0%} of false claims pass, and {MAX_FALSE_SUPPORT:.0%} is the most "
        "that is accepted"
    )


EARLIER_JUDGE = "an earlier judge"
LEGEND: Mapping[str, str] = {
    "✓": "proven: quoted from the source word for word, or verified against the source by a verifier that passed its "
    "test",
    "~": "not checked: it cites real words, but no verifier compared it with them",
    "✗": "not supported, or contradicted, by its sources",
    "·": "makes no claim that could be true or false",
}
"""What each sign means."""
_WHY_LEFT_OUT: Mapping[Rung, str] = {
    "unverified": "not checked",
    "unsupported": "not supported by the cited sources",
    "contradicted": "contradicted by the cited sources",
}

_ENDED: Final = ("ended",)
"""The flags of a sentence that is left out for nothing but that its source has ended."""


def proof_of(sentence: SentenceVerdict) -> str:
    """Return what put a sentence on its rung: "quoted word for word", "verified by …"."""
    match sentence.rung:
        case "quoted":
            return "quoted word for word"
        case "verified":
            return f"verified by {_checker(sentence)}"
        case "unverified":
            return "not checked: no verifier compared it with its sources"
        case "unsupported" | "contradicted":
            by = f", says {_without_hash(sentence.verifier)}" if sentence.verifier else ""
            return f"{RUNG_IN_WORDS[sentence.rung]} by its sources{by}"
        case _:
            return "makes no claim, so it needs no source"


def checked_line(exchange: DialogueExchange) -> str | None:
    """Return how many sentences are proven in which way: "1 quoted, 2 verified by …"; None of a refusal."""
    if exchange.refused:
        return None
    proven = [
        "quoted" if sentence.rung == "quoted" else proof_of(sentence)
        for sentence in exchange.sentences
        if sentence.is_proven
    ]
    return ", ".join(f"{count} {how}" for how, count in Counter(proven).items()) or None


def left_out_line(exchange: DialogueExchange) -> str | None:
    """Return how many sentences were left out of an answer and why, in one line; None where none was."""
    if exchange.refused or not exchange.cut:
        return None
    why = Counter(map(_why_left_out, exchange.cut))
    told = ", ".join(f"{count} {reason}" for reason, count in why.items()) if len(why) > 1 else next(iter(why))
    return f"{counted(len(exchange.cut), 'sentence')} left out: {told}"


def _why_left_out(sentence: CutSentence) -> str:
    if sentence.flags == _ENDED:
        return "no longer true"
    return _WHY_LEFT_OUT.get(sentence.rung, RUNG_IN_WORDS[sentence.rung])


def lapse_line(exchange: DialogueExchange) -> str | None:
    """Return why a verifier that was wanted gave no opinion, and what follows; None where none was missed."""
    note = None if exchange.verification is None else lapse_note(exchange.verification)
    if note is None:
        return None
    unchecked = sum(one.rung == "unverified" for one in (*exchange.sentences, *exchange.cut))
    told = f"{note[:1].upper()}{note[1:]}"
    are = "is" if unchecked == 1 else "are"
    return f"{told}: {counted(unchecked, 'sentence')} {are} not checked" if unchecked else told


def calibration_line(verification: Verification) -> str | None:
    """Return how many false claims a verifier let pass when it was tried; None where it was not."""
    if verification.false_support is None:
        return None
    return (
        f"When it was tried, {name_of(verification.verifier)} let {verification.false_support:.0%} of false claims pass"
    )


def _checker(sentence: SentenceVerdict) -> str:
    if LEXICAL_JUDGE in (sentence.judge, sentence.verifier) or not sentence.verifier:
        return EARLIER_JUDGE
    return _without_hash(sentence.verifier)


def _without_hash(label: str) -> str:
    """Return who checked by name and model, as a person reads it; the label bears the hash of the prompt, too."""
    return " ".join(label.split(" ")[:2])
