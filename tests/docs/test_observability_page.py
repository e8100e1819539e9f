"""docs/observability.md names what is told, and nothing else; its program runs as it is printed."""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from played_turns import FIRED, KILN, MOVED, WHERE, ask, given, memory, quoting, scripted, tell
from told_telemetry import Told, labels
from voice.core.errors import NoSession, ProviderUnavailable
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.providers import VerifierSettings
from voice.core.settings.values import PrivacySettings
from voice.ports.llm import LlmRequest
from voice.services.runtime.measurements import INSTRUMENTS
from voice.services.turn.ask import AskRequest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "observability.md").read_text(encoding="utf-8")
Names = dict[str, set[str]]
FRAME = {"at", "level", "event"}


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, without its head."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    table = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in cells] for cells in table[2:]]


def quoted(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


def speaks(request: LlmRequest) -> str:
    if '"claim"' in request.prompt:
        return json.dumps({"verdicts": [{"pair": 1, "verdict": "supported"}]})
    answer = f"{MOVED} {FIRED} On Sunday Marta made her earliest pottery in the oven."
    return str(quoting(MOVED, FIRED, answer=answer)(request))


async def play(home: Path, told: Told) -> None:
    """A turn with a verifier, again under its key; one that fails, one ended early; a refusal, an error, a search."""
    settings = given(verifier=VerifierSettings(name="llm"), privacy=PrivacySettings(log_level="debug"))
    telemetry = told.telemetry()
    async with memory(home / "a", scripted(speaks), settings=settings, telemetry=telemetry) as services:
        with pytest.raises(NoSession):
            await services.ask(AskRequest(question=WHERE))
        await ask(services)
        await tell(services, *KILN)
        await ask(services, idempotency_key="call 1")
        await ask(services, idempotency_key="call 1")
        await services.find(RetrieveRequest(query="kiln", floor=0.0))
    async with memory(
        home / "b", scripted(ProviderUnavailable("x")), settings=settings, telemetry=telemetry
    ) as services:
        await tell(services, *KILN)
        await ask(services)
    invented = '{"sources": [{"source_id": "S99", "span": "x"}], "answer": "'
    async with memory(
        home / "c", scripted(invented, piece_chars=9), settings=settings, telemetry=telemetry
    ) as services:
        await tell(services, *KILN)
        await ask(services)


def pattern(name: str) -> str:
    first = name.partition(" ")[0]
    return {"chat": "chat {model}", "verify": "verify {verifier}"}.get(first, name)


@pytest.mark.requirement("observe:page", "observe:spans", "observe:metrics", "observe:log")
async def test_the_page_names_all_that_is_told_and_nothing_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    told = Told()
    await play(tmp_path, told)
    assert spans_told(told) == {quoted(name).pop(): quoted(bears) for name, _, bears in rows("Spans")}
    measured = {name: set[str]().union(*(of for of, _, _ in points)) for name, points in told.points().items()}
    assert {name: by - {"voice.reason"} for name, by in measured.items()} == {
        quoted(name).pop(): quoted(by.split("(")[0] + by.partition(")")[2]) - {"voice.reason"}
        for name, _, _, by in rows("Measurements")
    }
    lines = [cast("dict[str, object]", json.loads(line)) for line in capfd.readouterr().err.splitlines()]
    assert lines_told(lines) == {
        (event, "debug" if "debug" in level else "info"): quoted(members)
        for events, level, members in rows("Lines")
        for event in quoted(events)
    }


def spans_told(told: Told) -> Names:
    names: Names = defaultdict(set)
    for span in told.spans():
        names[pattern(span.name)] |= labels(span).keys() - {"error.type"}
    return dict(names)


def lines_told(lines: list[dict[str, object]]) -> Mapping[tuple[str, str], set[str]]:
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for line in lines:
        level = "debug" if line["level"] == "debug" else "info"
        names[str(line["event"]), level] |= line.keys() - FRAME
    return dict(names)


@pytest.mark.requirement("observe:page", "observe:metrics")
def test_the_page_says_of_each_instrument_what_it_is() -> None:
    said = {(quoted(name).pop(), kind, quoted(unit).pop()) for name, kind, unit, _ in rows("Measurements")}
    assert said == {(each.name, each.kind, each.unit) for each in INSTRUMENTS}


@pytest.mark.slow
@pytest.mark.requirement("observe:page", "observe:free")
def test_the_program_on_the_page_is_told_of_its_turn(tmp_path: Path) -> None:
    code = PAGE.split("```python\n")[1].split("```")[0]
    chosen = {"VOICE_HOME": str(tmp_path / "home"), "SURR_ENABLE_INNER_VOICE": "1", "SURR_EMBED_PROVIDER": "hash"}
    offline = {"SURR_INNER_VOICE_PROVIDER": "extractive", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **chosen, **offline},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert '"name": "invoke_agent inner-voice"' in done.stdout
    assert "kiln" not in done.stdout + done.stderr
