"""The harness plays whole turns: store, index, encoder, prompt, parser, repair and judge are the program's own."""

import json
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from bench.real_model.__main__ import main
from bench.real_model.asking import Flags, MakeClient, World, demo_world
from bench.real_model.cases import HostileNote, demo_cases
from bench.real_model.drafts import DraftCache, RecordingClient
from bench.real_model.models import MODELS

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ScriptedClient
from voice.ports.llm import LlmRequest

_ROOT = Path(__file__).resolve().parents[3]
FLAGS: Flags = {"gate.enabled": True, "llm.provider": "extractive", "llm.max_prompt_tokens": 1400}
DELIVERED = "When was the Bechstein delivered to Dona Amélia?"


def quoting(request: LlmRequest) -> str:
    """Quote the first sentence of the first source."""
    first = request.evidence[0]
    text = first.text.split(". ")[0]
    return json.dumps({"sources": [{"source_id": first.alias, "span": text}], "answer": text, "refused": False})


def maker(cache: Path, seen: list[LlmRequest], *, asks: bool = True) -> MakeClient:
    def make(flags: Flags) -> RecordingClient:
        kept = DraftCache(directory=cache, model_sha256="a" * 64)
        return RecordingClient(ScriptedClient(quoting, seen=seen), kept, cpu_s=(lambda: 0.0) if asks else None)

    return make


def opened(home: Path, make: MakeClient, hostile: Sequence[HostileNote] = ()) -> AbstractAsyncContextManager[World]:
    """Open the example memory under an encoder that costs nothing."""
    return demo_world(home, FLAGS, make, hostile, HashedEmbedder(256))


async def test_both_policies_judge_one_draft_and_a_second_run_asks_nobody(tmp_path: Path) -> None:
    case = next(one for one in demo_cases(1_000) if one.question == DELIVERED)
    seen: list[LlmRequest] = []
    async with opened(tmp_path / "one", maker(tmp_path / "kept", seen)) as world:
        (asked,) = await world.outcomes([case], "asking")
    async with opened(tmp_path / "two", maker(tmp_path / "kept", seen, asks=False)) as world:
        (judged_again,) = await world.outcomes([case], "asking")
        never_asked = next(one for one in demo_cases(1_000) if one.category == "fact")
        assert await world.outcomes([never_asked], "asking") == []
        assert world.client.missing > 0
    assert len(seen) == 1
    assert asked == judged_again
    assert asked.shown_evidence
    assert set(asked.judged) == {"off", "green"}
    assert asked.judged["green"].is_accepted
    assert asked.judged["green"].cited_evidence


def test_a_run_writes_its_reports_where_it_says_and_what_is_not_there_is_said_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = tmp_path / "page.md"
    shown.write_text((_ROOT / "docs" / "real-model.md").read_text("utf-8"), encoding="utf-8")
    none = ("--rejudge", "--questions", "0", "--of-each", "0", "--cache", str(tmp_path / "cache"))
    assert main([*none, "--page", str(shown)]) == 0
    assert "temperature 0" in capsys.readouterr().out
    reports = tmp_path / "cache" / "reports"
    name = MODELS["1.5b"].name
    assert {file.name for file in reports.iterdir()} == {f"{name}.json", f"{name}.md", f"{name}.drafts.jsonl"}
    report = json.loads((reports / f"{name}.json").read_text("utf-8"))
    assert (report["format"], report["calls"]["asked"], report["groups"]) == ("real-model/1", 0, {})
    assert "0 prompts without a reply" in shown.read_text("utf-8")
    assert main(["--offline", "--cache", str(tmp_path)]) == 4
    assert "run once without --offline" in capsys.readouterr().err
    assert main(["--rejudge", "--data", "nowhere.json", "--cache", str(tmp_path), "--questions", "0"]) == 2
    assert "nowhere.json" in capsys.readouterr().err
