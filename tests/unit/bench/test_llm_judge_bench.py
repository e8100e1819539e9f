"""How a language model is measured as a judge, with one that says what it is told to."""

import json
from pathlib import Path

import pytest
from bench.real_model.drafts import DraftCache, RecordingClient
from bench.verifier import llm_judge as command
from bench.verifier.llm_judge import chosen, hear, report_on

from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import DataFileError
from voice.ports.llm import LlmRequest
from voice.testing.verifiers import say_verbatim

pytestmark = pytest.mark.anyio
SOURCE = "Ada: The kiln moved to the shed in March, and three people carried it there."


def line(answer: str, label: str, name: str) -> str:
    sources = [{"id": "s1", "text": SOURCE}]
    return json.dumps({"set": name, "sources": sources, "answer": answer, "label": label})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    lines = [
        line("The kiln moved to the shed in March.", "supported", "true"),
        line("Three people carried the kiln over to that shed.", "supported", "true"),
        line("The kiln moved. Everybody was glad.", "supported", "two sentences"),
        line("The kiln moved to the shed in April.", "unsupported", "date"),
        line("Wild horses dragged a wagon through town.", "unsupported", "other"),
        line("Tired horses dragged a wagon through town.", "unsupported", "other"),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def says(verdict: str) -> ScriptedClient:
    def reply(request: LlmRequest) -> str:
        numbers = [json.loads(one)["pair"] for one in request.prompt.splitlines() if one.startswith("{")]
        return json.dumps({"verdicts": [{"pair": number, "verdict": verdict} for number in numbers]})

    return ScriptedClient(reply)


def test_as_many_supported_as_unsupported_are_chosen_and_the_sets_in_turn(data: Path) -> None:
    cases = chosen([data], 4)
    assert sorted((case.set_name, case.is_unsupported) for case in cases) == [
        ("date", True),
        ("other", True),
        ("true", False),
        ("true", False),
    ]
    assert [case.pair for case in cases] == [case.pair for case in chosen([data], 4)]
    assert all(case.pair.evidence for case in cases)


async def test_a_judge_that_knows_is_worth_its_place(data: Path) -> None:
    cases = chosen([data], 4)
    report = report_on(await hear(cases, ScriptedClient(say_verbatim), per_call=3))
    assert (report["pairs"], report["without_opinion"]) == (4, 0)
    accuracy = report["accuracy"]
    assert isinstance(accuracy, dict)
    assert accuracy["rules"] == 1.0
    assert accuracy["llm"] == 0.5, (
        "it calls supported what stands there word for word but for the end, and nothing else"
    )


async def test_what_a_lenient_judge_lifts_wrongly_is_counted_and_no_hard_check_is_lifted(data: Path) -> None:
    report = report_on(await hear(chosen([data], 4), says("supported"), per_call=12))
    assert report["changed_by_the_judge"] == {"rightly": 0, "wrongly": 1}
    flagged = report["flagged"]
    assert isinstance(flagged, dict)
    assert flagged["date"] == {"pairs": 1, "is_unsupported": True, "rules": 1.0, "llm": 0.0, "together": 1.0}
    assert flagged["other"]["together"] == 0.0


async def test_a_reply_of_the_wrong_shape_is_no_opinion_and_the_others_are_heard(data: Path) -> None:
    replies = iter(["no idea", *[None] * 9])

    def reply(request: LlmRequest) -> str:
        return next(replies) or say_verbatim(request)

    report = report_on(await hear(chosen([data], 4), ScriptedClient(reply), per_call=2))
    assert (report["pairs"], report["without_opinion"]) == (4, 2)


async def test_what_was_asked_is_not_asked_again(data: Path, tmp_path: Path) -> None:
    def client(*, asks: bool) -> RecordingClient:
        cache = DraftCache(directory=tmp_path / "verdicts", model_sha256="0" * 64)
        return RecordingClient(ScriptedClient(say_verbatim), cache, cpu_s=(lambda: 0.0) if asks else None)

    first, again = client(asks=True), client(asks=False)
    cases = chosen([data], 4)
    assert report_on(await hear(cases, first, per_call=2)) == report_on(await hear(cases, again, per_call=2))
    assert (first.asked, again.replayed, again.missing) == (2, 2, 0)


def test_with_nobody_to_ask_it_says_how_many_are_without_opinion(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--data", str(data), "--pairs", "4", "--cache", str(tmp_path / "cache"), "--rejudge"]
    assert command.main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["without_opinion"] == 4
    assert command.main(arguments) == 0
    assert "accuracy" in capsys.readouterr().out


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DataFileError):
        chosen([tmp_path / "gone.jsonl"], 4)
    assert command.main(["--data", str(tmp_path / "gone.jsonl"), "--rejudge"]) == DataFileError("").exit_code
    assert "gone.jsonl" in capsys.readouterr().err


def test_without_a_model_and_a_network_it_says_what_is_missing(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--data", str(data), "--cache", str(tmp_path / "cache"), "--offline"]) == 4
    assert "xllamacpp" in capsys.readouterr().err
