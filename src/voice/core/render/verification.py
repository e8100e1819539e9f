"""Who checked an answer, what was proven, what was left out, and why nobody checked, in words.

Law: counts, rungs and names; never a word of an answer or of a sentence that was left out (ruling D9a). What is said of
a verifier that is not believed says what follows, too.
Source: DESIGN 6 "The verifier", "Calibration"; rulings D1, D9a.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from voice.core.grounding.values import LEXICAL_JUDGE, CutSentence, SentenceVerdict
from voice.core.grounding.verifier_calibration import CalibrationTally
from voice.core.grounding.verifier_values import MAX_FALSE_SUPPORT, CalibrationRecord, Verification, VerifierInfo
from voice.core.messages import showing as messages
from voice.core.session.values import DialogueExchange
from voice.core.text.display import counted


def lapse_note(verification: Verification) -> str | None:
    """Return why a verifier gave no opinion on an answer, and what follows; None where it gave one."""
    if verification.lapse is None:
        return None
    who, why = name_of(verification.verifier), messages.LAPSES[verification.lapse]
    share = verification.false_support
    if verification.lapse == "not_believed":
        if share is None or share <= MAX_FALSE_SUPPORT:  # it passed, but left too much unanswered
            return messages.failed_its_test(who, messages.TOO_MUCH_UNANSWERED)
        return messages.failed_its_test(who, messages.lets_too_much_pass(share, MAX_FALSE_SUPPORT))
    if share is None:
        return messages.test_not_finished(who, why)
    return messages.gave_no_opinion(who, why)


def belief_line(record: CalibrationRecord) -> str:
    """Return how a verifier did when it was tried, and whether it is believed."""
    did = messages.test_result(record.false_support, record.false_doubt, record.claims, record.checked_on)
    unheard = "" if record.is_heard else messages.test_unanswered(record.unanswered)
    return f"{did}{unheard}: {messages.PASSED if record.is_believed else messages.NOT_PASSED}"


def advice_of(record: CalibrationRecord) -> str:
    """Return what follows for a verifier that is not believed; empty for one that is."""
    return "" if record.is_believed else messages.ANOTHER_VERIFIER


def name_of(info: VerifierInfo) -> str:
    """Return a verifier as a person is told of it: its model, where it has one."""
    model = info.version.split(" ", 1)[0]  # "openai/gpt-4o 3f2a…"
    return messages.verifier(f"{info.name} ({model})" if "/" in model else info.name)  # without "/" it is no model


def render_calibration(record: CalibrationRecord) -> dict[str, object]:
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


def render_kinds(by_kind: Mapping[str, CalibrationTally]) -> list[dict[str, object]]:
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


_ENDED: Final = ("ended",)  # left out for nothing but that its source has ended


def proof_of(sentence: SentenceVerdict) -> str:
    """Return what put a sentence on its rung: "quoted word for word", "verified by …"."""
    match sentence.rung:
        case "quoted":
            return messages.QUOTED
        case "verified":
            return messages.verified_by(_checker(sentence))
        case "unverified":
            return messages.NOT_COMPARED
        case "unsupported" | "contradicted":
            by = _without_hash(sentence.verifier) if sentence.verifier else ""
            return messages.not_by_its_sources(messages.RUNGS[sentence.rung], by)
        case _:
            return messages.NEEDS_NO_SOURCE


def checked_line(exchange: DialogueExchange) -> str | None:
    """Return how many sentences are proven in which way: "1 quoted, 2 verified by …"; None where none is shown."""
    if not exchange.tells_coverage:
        return None
    proven = [
        messages.RUNGS["quoted"] if sentence.rung == "quoted" else proof_of(sentence)  # by whom does not matter there
        for sentence in exchange.sentences
        if sentence.is_proven
    ]
    return ", ".join(f"{count} {how}" for how, count in Counter(proven).items()) or None  # in order of appearance


def left_out_line(exchange: DialogueExchange) -> str | None:
    """Return how many sentences were left out of an answer and why, in one line; None where none was."""
    if exchange.refused or not exchange.cut:
        return None
    why = Counter(map(_why_left_out, exchange.cut))
    told = ", ".join(f"{count} {reason}" for reason, count in why.items()) if len(why) > 1 else next(iter(why))
    return messages.sentences_left_out(counted(len(exchange.cut), "sentence"), told)


def _why_left_out(sentence: CutSentence) -> str:
    if sentence.flags == _ENDED:
        return messages.NO_LONGER_TRUE
    return messages.WHY_CUT.get(sentence.rung, messages.RUNGS[sentence.rung])


def lapse_line(exchange: DialogueExchange) -> str | None:
    """Return why a verifier that was wanted gave no opinion, and what follows; None where none was missed."""
    note = None if exchange.verification is None else lapse_note(exchange.verification)
    if note is None:
        return None
    unchecked = sum(one.rung == "unverified" for one in (*exchange.sentences, *exchange.cut))
    told = f"{note[:1].upper()}{note[1:]}"
    return messages.unchecked(told, unchecked) if unchecked else told


def calibration_line(verification: Verification) -> str | None:
    """Return how many false claims a verifier let pass when it was tried; None where it was not."""
    if verification.false_support is None:
        return None
    return messages.let_pass(name_of(verification.verifier), verification.false_support)


def _checker(sentence: SentenceVerdict) -> str:
    if LEXICAL_JUDGE in (sentence.judge, sentence.verifier) or not sentence.verifier:  # the judge of older turns
        return messages.EARLIER_JUDGE
    return _without_hash(sentence.verifier)


def _without_hash(label: str) -> str:
    """Return who checked by name and model, as a person reads it; the label bears the hash of the prompt, too."""
    return " ".join(label.split(" ")[:2])  # "llm openai/gpt-4o 3f2a…"
