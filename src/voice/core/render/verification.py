"""Who checked an answer, and why nobody did, in words.

Law: figures and names; no word of an answer. What is said of a verifier that is not believed says what follows, too.

Source: DESIGN 6 "The verifier", "Calibration".
"""

from collections.abc import Mapping
from typing import Final, TypedDict

from voice.core.grounding.verifier_calibration import CalibrationTally
from voice.core.grounding.verifier_values import (
    MAX_FALSE_SUPPORT,
    CalibrationRecord,
    Lapse,
    Verification,
    VerifierInfo,
)

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
