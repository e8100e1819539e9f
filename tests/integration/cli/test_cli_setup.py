"""Making a memory of one's own, and looking at its settings: `init` and `config`."""

import tomllib

import click
import pytest

from cli_runner import Documented, Voice


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


def test_a_choice_that_cannot_be_meant_makes_nothing(bare: Voice) -> None:
    for options, code, said in (
        (["--timezone", "Lisbon/Porto"], 4, "timezone"),
        (["--provider", "Not A Name", "--model", "x"], 4, "the option llm.provider"),
        (["--provider", "openai"], 2, "add --model NAME"),
    ):
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
