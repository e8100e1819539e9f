"""Read and write turns that the earlier, lexical judge judged.

Law: what it called supported is read as verified, by its name; what stated nothing is a remark. Nothing it said is
lost, so the form in which a turn was stored, and to which the chain of its conversation commits, is made again exactly
(ruling H). A turn that is not of its form passes as it is.

Source: rulings D6, H; docs/sessions.md "Answers that an earlier judge judged".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from voice.core.grounding.values import LEXICAL_JUDGE, Receipt, Rung, SentenceVerdict
from voice.core.grounding.verifier_values import (
    LexicalDetail,
    LexicalKind,
    LexicalLapse,
    LexicalPart,
    LexicalVerdict,
    LexicalVerifier,
    Verification,
)

_RUNGS: Final[Mapping[LexicalVerdict, Rung]] = {
    "supported": "verified",
    "unsupported": "unsupported",
    "contradicted": "contradicted",
    "not_a_claim": "remark",
}
_VERDICTS: Final[Mapping[Rung, LexicalVerdict]] = {rung: verdict for verdict, rung in _RUNGS.items()}
_KINDS: Final = {"question": "question", "meta": "remark"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalSentence:
    """A verdict on a sentence as that judge wrote it; offsets are into the answer."""

    start: int
    end: int
    text: str
    kind: LexicalKind
    verdict: LexicalVerdict
    score: float | None = None
    weight: float = 0.0
    receipts: tuple[Receipt, ...] = ()
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    parts: tuple[LexicalPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalVerification:
    """The record of its verifiers as it wrote it."""

    verifiers: tuple[LexicalVerifier, ...]
    ensemble: Literal["all", "majority"]
    asked: int
    lapses: tuple[tuple[str, LexicalLapse], ...] = ()


def as_written(value: SentenceVerdict | Verification) -> LexicalSentence | LexicalVerification | None:
    """Return a value in the form of the judge before this one; None where it is of this one."""
    if isinstance(value, SentenceVerdict):
        return None if value.lexical is None else _sentence_written(value, value.lexical)
    panel = value.panel
    if panel is None:
        return None
    return LexicalVerification(
        verifiers=panel.verifiers, ensemble=panel.ensemble, asked=value.asked, lapses=panel.lapses
    )


def _sentence_written(sentence: SentenceVerdict, detail: LexicalDetail) -> LexicalSentence:
    return LexicalSentence(
        start=sentence.start,
        end=sentence.end,
        text=sentence.text,
        kind=detail.kind,
        verdict=_VERDICTS[sentence.rung],
        score=sentence.score,
        weight=sentence.weight,
        receipts=sentence.receipts,
        reasons=sentence.reasons,
        flags=sentence.flags,
        parts=detail.parts,
    )


def read_today(members: Mapping[str, object]) -> dict[str, object]:
    """Return the members of a stored or exported turn as this version reads them.

    What is of no form that was ever written is left for whoever validates it.
    """
    read = dict(members)
    sentences = members.get("sentences")
    if isinstance(sentences, Sequence) and not isinstance(sentences, str):
        read["sentences"] = [_sentence_today(each) for each in cast("Sequence[object]", sentences)]
    if "verification" in members:
        read["verification"] = _verification_today(members["verification"])
    return read


def _sentence_today(sentence: object) -> object:
    if not isinstance(sentence, Mapping) or "verdict" not in sentence or "rung" in sentence:
        return cast("object", sentence)
    written = dict(cast("Mapping[str, object]", sentence))
    kind, verdict = written.get("kind"), written.pop("verdict")
    is_told = verdict != "not_a_claim"
    return written | {
        "kind": _KINDS.get(str(kind), "claim"),
        "rung": _RUNGS.get(cast("LexicalVerdict", verdict)),
        "judge": LEXICAL_JUDGE,
        "verifier": LEXICAL_JUDGE if is_told else None,
        "lexical": {"kind": kind, "parts": written.pop("parts", ())},
    }


def _verification_today(record: object) -> object:
    """Return the record of several verifiers as one that is named after them all."""
    if not isinstance(record, Mapping) or "verifiers" not in record:
        return cast("object", record)
    written = cast("Mapping[str, object]", record)
    verifiers = cast("Sequence[Mapping[str, object]]", written["verifiers"])
    lapses = cast("Sequence[Sequence[object]]", written.get("lapses", ()))
    return {
        "verifier": {name: " + ".join(str(each[name]) for each in verifiers) for name in ("name", "version")},
        "asked": written.get("asked"),
        "lapse": lapses[0][1] if lapses else None,
        "panel": {"verifiers": verifiers, "ensemble": written.get("ensemble"), "lapses": lapses},
    }
