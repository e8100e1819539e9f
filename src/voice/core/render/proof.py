"""How an answer is proven, in words: who checked its sentences, which were left out, and who did not check.

Law: counts, rungs, and the names of those who checked; never a word of a sentence that was left out (ruling D9a).

Source: DESIGN 6; rulings D1, D9a.
"""

from collections import Counter
from collections.abc import Mapping

from voice.core.grounding.answer_text import RUNG_IN_WORDS
from voice.core.grounding.values import LEXICAL_JUDGE, Rung, SentenceVerdict
from voice.core.grounding.verifier_values import Verification
from voice.core.render.verification import lapse_note, name_of
from voice.core.session.values import DialogueExchange
from voice.core.text.display import counted

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
    why = Counter(_WHY_LEFT_OUT.get(one.rung, RUNG_IN_WORDS[one.rung]) for one in exchange.cut)
    told = ", ".join(f"{count} {reason}" for reason, count in why.items()) if len(why) > 1 else next(iter(why))
    return f"{counted(len(exchange.cut), 'sentence')} left out: {told}"


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
