"""Making a memory of one's own, and looking at its settings: `init` and `config`."""

import tomllib
from pathlib import Path

import click
import pytest

from cli_runner import Documented, Ran, Run, Voice


@pytest.fixture
def bare(nowhere: Voice, monkeypatch: pytest.MonkeyPatch) -> Voice:
    monkeypatch.setenv("TZ", "Europe/Lisbon")
    return nowhere


def chosen(voice: Voice) -> dict[str, object]:
    return tomllib.loads((voice.home / "voice.toml").read_text(encoding="utf-8"))


@pytest.mark.requirement("ruling:A8", "ruling:A23", "ruling:H.1")
def test_without_a_key_the_offline_provider_is_written_and_the_memory_is_ready(
    bare: Voice, is_as_documented: Documented
) -> None:
    ran = bare.ok("init", "--json")
    is_as_documented("cli/init", ran)
    assert chosen(bare)["enabled"] is True
    assert (chosen(bare)["llm"], chosen(bare)["time"]) == ({"provider": "extractive"}, {"timezone": "Europe/Lisbon"})
    assert chosen(bare)["grounding"] == {"single_source": "green"}
    modes = {path.name: path.stat().st_mode & 0o777 for path in (bare.home, *bare.home.iterdir())}
    assert modes == {bare.home.name: 0o700, "voice.toml": 0o600, "key": 0o600, "memory": 0o700}


def test_what_to_do_next_is_said(bare: Voice) -> None:
    ran = bare.ok("init", "--provider", "openai", "--model", "gpt-5", "--no-single-source")
    assert ("export OPENAI_API_KEY=…" in ran.out, "voice remember" in ran.out) == (True, True)
    assert chosen(bare)["grounding"] == {"single_source": "off"}
    assert chosen(bare)["llm"] == {"provider": "openai", "model": "gpt-5"}


def test_a_key_at_hand_chooses_its_provider_and_is_written_nowhere(
    bare: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "canary-key-4711")
    ran = bare.ok("init")
    assert chosen(bare)["llm"] == {"provider": "gemini", "model": "gemini-2.5-pro"}
    assert "export" not in ran.out
    everything = b"".join(path.read_bytes() for path in bare.home.rglob("*") if path.is_file())
    assert b"canary-key-4711" not in everything + (ran.out + ran.err).encode()


def test_nothing_that_is_there_is_overwritten(voice: Voice) -> None:
    before = (voice.home / "voice.toml").read_bytes()
    assert "already exists" in voice.refused("init", code=4)
    assert (voice.home / "voice.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--timezone", "Lisbon/Porto"], 4, "timezone"),
        (["--provider", "Not A Name", "--model", "x"], 4, "the option llm.provider"),
        (["--provider", "openai"], 2, "add --model NAME"),
    ],
)
def test_a_choice_that_cannot_be_meant_makes_nothing(bare: Voice, options: list[str], code: int, said: str) -> None:
    assert said in bare.refused("init", *options, code=code)
    assert not bare.home.exists()


@pytest.mark.requirement("reranker:found")
def test_on_a_terminal_it_asks_and_goes_on_without_the_re_ranker(bare: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"Who": " gemini ", "Which": "gemini-flash", "What do": " Irma Sauer, Mimi ", "What is": "Europe/Porto"}
    asked: list[tuple[str, object]] = []

    def prompt(question: str, *, default: object, err: bool, show_default: bool = True) -> object:
        asked.append((question.split(" ", maxsplit=1)[0], default))
        return next(answer for start, answer in answers.items() if question.startswith(start))

    def confirm(question: str, *, default: bool, err: bool) -> bool:
        return question.startswith("Download the re-ranker") and default and err

    monkeypatch.setattr("voice.entrypoints.cli.setup._is_conversation", lambda: True)
    monkeypatch.setattr(click, "prompt", prompt)
    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    assert "Europe/Porto" in bare("init").only_line
    answers["What is"] = "Europe/Lisbon"
    ran = bare.ok("init")
    assert "the re-ranker is not installed (" in ran.err
    assert "Better answers:  voice models install reranker" in ran.out
    assert asked[:4] == [("Who", "extractive"), ("Which", "gemini-2.5-pro"), ("What", ""), ("What", "Europe/Lisbon")]
    assert chosen(bare)["owner"] == {"names": "Irma Sauer, Mimi"}
    assert chosen(bare)["llm"] == {"provider": "gemini", "model": "gemini-flash"}
    assert chosen(bare)["grounding"] == {"single_source": "off"}


def rows_of(ran: Ran) -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in ran.json["settings"]}


@pytest.mark.requirement("ruling:A8")
def test_every_setting_shows_its_value_and_where_it_came_from(
    voice: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_TOPK_DEFAULT", "7")
    ran = voice.ok("config", "--json")
    is_as_documented("cli/config", ran)
    shown = {name: (row["value"], row["origin"]) for name, row in rows_of(ran).items()}
    assert shown["retrieve.top_k"] == ("7", "env")
    assert shown["llm.provider"] == ("extractive", "file")
    assert shown["nlq.language"] == ("en", "default")
    assert shown["store.home"] == (str(voice.home), "flag")


def test_the_data_directory_may_come_from_the_environment_or_the_platform(
    run_voice: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    platform = rows_of(run_voice(["config", "--json"]))["store.home"]
    assert (Path(platform["value"]).name, platform["origin"]) == ("voice", "default")
    monkeypatch.setenv("VOICE_HOME", str(tmp_path / "mine"))
    row = rows_of(run_voice(["config", "--json"]))["store.home"]
    assert (row["value"], row["origin"]) == (str(tmp_path / "mine"), "env")


@pytest.mark.requirement("promise:6")
def test_secrets_are_never_printed(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SURR_INNER_VOICE_API_KEY", "SURR_DB_PASS", "SURR_EMBED_API_KEY"):
        monkeypatch.setenv(name, "canary-key-4711")
    for ran in (voice.ok("config"), voice.ok("config", "--json"), voice("doctor")):
        assert "canary-key-4711" not in ran.out + ran.err
    assert "llm.api_key\tset\tenv\tSURR_INNER_VOICE_API_KEY" in voice.ok("config").out


def test_settings_come_line_by_line_through_a_pipe_and_as_a_table_on_a_terminal(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "session.timeout_hours\t24 hours\tdefault\tSURR_INNER_VOICE_TIMEOUT\n" in voice.ok("config").out
    monkeypatch.setattr("voice.entrypoints.cli.config.is_terminal", lambda: True)
    table = voice.ok("config").out
    assert ("setting " in table, "\t" in table) == (True, False)
    (voice.home / "voice.toml").unlink()
    assert f"`voice --home '{voice.home}' init` makes it" in voice.ok("config").err


def test_remarks_about_settings_go_to_stderr(voice: Voice) -> None:
    voice.settings("[retrieve]\ntop_k = 99\n")
    assert "top_k in voice.toml is 99; using 50" in voice.ok("config").only_line
    assert voice.ok("config", "--json").err == ""
