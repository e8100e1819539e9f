"""What `limit` lets in beyond S0's fifty is valid against what every door publishes."""

import json
from pathlib import Path
from typing import cast

import pytest
from jsonschema import Draft202012Validator

from cli_runner import SCHEMAS, SETTINGS, run_command
from voice.core.records import Origin
from voice.entrypoints.library import Voice
from voice.services.memory.ingest_values import NewThought
from web_door import door
from web_door import told as told_over_http

ASKED = {"query": "kiln", "limit": 100, "floor": 0, "mix": 0}
NOTES = [
    NewThought(content=f"The kiln was fired for load number {at} of the year.", origin=Origin.HUMAN) for at in range(70)
]


async def _fill(memory: Voice) -> None:
    await memory.services.ingest.remember(NOTES)


def _returned(found: object) -> int:
    answer = cast("dict[str, dict[str, int]]", found)
    assert answer["diagnostics"]["k_ret"] == len(answer["snippets"])
    return answer["diagnostics"]["k_ret"]


@pytest.mark.requirement("mcp:limit-over-fifty", "http:operations")
async def test_over_http(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await _fill(at.memory)
        found = await told_over_http(at, "POST", "/retrieve", json=ASKED)
        explained = await told_over_http(at, "POST", "/retrieve", json={**ASKED, "explain": True})
    assert _returned(found) == len(NOTES)
    assert _returned(explained) == len(NOTES)


@pytest.mark.requirement("mcp:limit-over-fifty")
@pytest.mark.parametrize("form", ["retrieve", "retrieve-explain"])
def test_as_json_of_the_command(tmp_path: Path, form: str) -> None:
    home = tmp_path / "memory"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    lines = "".join(json.dumps({"type": "thought", "content": note.content}) + "\n" for note in NOTES)
    kept = run_command("import", "-", "--format", "jsonl", home=home, stdin=lines.encode())
    assert kept.code == 0, kept
    explain = ["--explain"] if form == "retrieve-explain" else []
    asked = ["retrieve", "kiln", "--limit", "100", "--floor", "0", "--mix", "0", "--json", *explain]
    found = json.loads(run_command(*asked, home=home).out)
    schema = json.loads((SCHEMAS / f"{form}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(found)  # pyright: ignore[reportUnknownMemberType] - stubs leave it open
    assert _returned(found) == len(NOTES)
