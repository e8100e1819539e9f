"""Settings and findings as pages show them: each with what it means, where it came from, and what to do.

Law: values in, values out. A secret is "set" or "not set", nothing more; that is decided where settings are described,
and nothing here reads a value again (promise 6).

Source: DESIGN 8 Web (settings and doctor); rulings A8, H.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.health import Finding, State, is_healthy
from voice.core.render.verification import advice_of, belief_line
from voice.core.settings.describe import SettingRow
from voice.core.settings.table import BY_NAME

_FROM: Final[Mapping[str, str]] = {
    "default": "the default",
    "file": "voice.toml",
    "env": "the environment",
    "flag": "an option of the command",
}
_GROUPS: Final[Mapping[str, str]] = {
    "gate": "The gate",
    "store": "Where the memory is",
    "embed": "Vectors",
    "retrieve": "Finding",
    "llm": "The model",
    "grounding": "What counts as grounded",
    "time": "Time",
    "privacy": "Privacy",
}
_STATES: Final[Mapping[State, tuple[str, str, str]]] = {
    "fault": ("bad", "✗", "fault"),
    "remark": ("doubt", "!", "remark"),
    "unchecked": ("info", "?", "not looked at"),
    "ok": ("good", "✓", "in order"),
}
"""The look, the sign and the word of each state, the gravest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """One setting."""

    name: str
    value: str
    unit: str
    origin: str
    is_default: bool
    about: str
    accepts: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingGroup:
    """The settings of one table of voice.toml."""

    key: str
    title: str
    rows: tuple[SettingView, ...]

    @property
    def changed(self) -> int:
        """How many of them somebody set."""
        return sum(not row.is_default for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingView:
    """One thing that was looked at."""

    name: str
    look: str
    sign: str
    state: str
    detail: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorView:
    """What a check-up found, the gravest first."""

    is_healthy: bool
    findings: tuple[FindingView, ...]
    counts: tuple[tuple[str, int], ...]
    """(word, how many) of each state there is, the word in the plural where there are several."""


def groups_of(rows: Iterable[SettingRow]) -> tuple[SettingGroup, ...]:
    """Return the settings under the tables they stand in, in the order of the table of settings."""
    return tuple(
        SettingGroup(key=key, title=_GROUPS.get(key, key.capitalize()), rows=tuple(map(_setting, of_group)))
        for key, of_group in groupby(rows, key=lambda row: row.name.partition(".")[0])
    )


@dataclass(frozen=True, slots=True)
class TriedView:
    """How a verifier did when it was tried, as the page shows it."""

    verifier: str
    line: str
    follows: str
    """Where it is not believed."""


def told_of(record: CalibrationRecord) -> TriedView:
    """Return how a verifier did when it was tried, as the page shows it."""
    return TriedView(verifier=record.verifier, line=belief_line(record), follows=advice_of(record))


def doctor_view(findings: Sequence[Finding]) -> DoctorView:
    """Return what a check-up found, as the page shows it."""
    order = list(_STATES)
    gravest = sorted(findings, key=lambda finding: order.index(finding.state))
    counts = ((_STATES[state][2], sum(finding.state == state for finding in findings)) for state in order)
    return DoctorView(
        is_healthy=is_healthy(findings),
        findings=tuple(map(finding_view, gravest)),
        counts=tuple((_several(word, number), number) for word, number in counts if number),
    )


def _several(word: str, number: int) -> str:
    return f"{word}s" if number > 1 and word in ("fault", "remark") else word


def _setting(row: SettingRow) -> SettingView:
    return SettingView(
        name=BY_NAME[row.name].key,
        value=row.value,
        unit=row.unit if row.unit and row.value != "not set" else "",
        origin=_FROM[row.origin],
        is_default=row.origin == "default",
        about=row.about,
        accepts=BY_NAME[row.name].reader.accepts,
        variable=row.env,
    )


def finding_view(finding: Finding) -> FindingView:
    """Return one thing that was looked at, as the page shows it."""
    look, sign, word = _STATES[finding.state]
    return FindingView(
        name=finding.name, look=look, sign=sign, state=word, detail=finding.detail, advice=finding.advice
    )
