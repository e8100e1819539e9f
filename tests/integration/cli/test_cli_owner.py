"""Whose memory it is: said at init or later, offered by imports, and what is answered of them."""

import json
import tomllib
import zipfile
from pathlib import Path

import pytest

from cli_runner import Voice
from synced_folders import write
from tables import tables

TABLES = tables(__file__)


CHAT_OF_TWO = """\
12/03/2026, 18:02 - Irma Sauer: I'm 41 and I still can't park
12/03/2026, 18:04 - Irma Sauer: I drive a red Fiat Panda now
12/03/2026, 18:05 - Hugo: I am 52 and we live in Aveiro now
"""


CLAUDE = json.dumps([{"uuid": "c1", "chat_messages": [{"uuid": "1", "sender": "human", "text": "Where is the kiln?"}]}])
"""What Claude exports of a conversation."""


def written(folder: Path, name: str, text: str) -> str:
    return str(write(folder, {name: text}) / name)


def chosen(voice: Voice) -> dict[str, object]:
    """Return what the settings file holds."""
    return tomllib.loads((voice.home / "voice.toml").read_text(encoding="utf-8"))


def answer(voice: Voice, question: str) -> str | None:
    said = voice("ask", "--new", question, question, "--json").json
    return said["answer"] if said["status"] == "answered" else None


def remember(voice: Voice, *texts: str) -> None:
    for text in texts:
        voice.ok("remember", text)


@pytest.mark.requirement("grounding:owner:who")
def test_who_i_am_is_answered_from_the_settings_and_from_my_own_words(voice: Voice) -> None:
    assert answer(voice, "Who am I?") is None
    shown = voice.ok("config", "owner.names", "Irma Sauer, Mimi").out
    assert shown == "owner.names\tIrma Sauer, Mimi\tfile\tSURR_OWNER_NAMES\n"
    assert answer(voice, "Who am I?") == "Your settings say that you are Irma Sauer, also called Mimi."
    remember(voice, "I am Mimi, a potter from Porto.", "Tom said that Mimi is away.")
    said = answer(voice, "What is my name?") or ""
    assert ("I am Mimi, a potter from Porto." in said, "away" in said) == (True, False)


@pytest.mark.requirement("grounding:owner:who")
def test_init_takes_the_names(nowhere: Voice) -> None:
    made = nowhere.ok("init", "--name", "Irma Sauer", "--name", "Mimi", "--json").json
    assert made["names"] == ["Irma Sauer", "Mimi"]
    assert chosen(nowhere)["owner"] == {"names": "Irma Sauer, Mimi"}


@pytest.mark.requirement("imports:owner")
def test_an_import_offers_the_name_of_whose_export_it_is_once(voice: Voice, tmp_path: Path) -> None:
    export = str(tmp_path / "claude.zip")
    with zipfile.ZipFile(export, "w") as archive:
        archive.writestr("conversations.json", CLAUDE)
        archive.writestr("users.json", json.dumps([{"full_name": "Irma O'Hara $(id)"}]))
    offer = "voice: if you are Irma O'Hara $(id), run this once: `voice config owner.names 'Irma O'\"'\"'Hara $(id)'`"
    assert offer in voice.ok("import", export, "--dry-run").err.splitlines()
    assert voice.ok("import", export).err.splitlines()[-1] == offer
    voice.ok("config", "owner.names", "Irma O'Hara")
    assert "owner.names" not in voice.ok("import", export, "--dry-run").err


@pytest.mark.requirement("imports:owner")
def test_a_chat_in_which_nobody_is_known_to_be_me_says_so_and_once_i_am_named_my_words_answer(
    voice: Voice, tmp_path: Path
) -> None:
    chat = written(tmp_path, "chat.txt", CHAT_OF_TWO)
    told = voice.ok("import", chat).err
    assert "none of these is known to be you: Irma Sauer (2), Hugo (1)" in told
    assert "`voice config owner.names 'Irma Sauer'`" in told
    assert answer(voice, "How old am I?") is None
    voice.ok("config", "owner.names", "Irma Sauer")
    again = voice.ok("import", chat)
    assert ("2 thoughts" in again.out, "owner.names" in again.err) == (True, False)
    assert answer(voice, "How old am I?") == "Irma Sauer: I'm 41 and I still can't park."
    assert "thought" not in voice.ok("import", chat).out.replace("already known", "")


@pytest.mark.requirement("imports:owner")
def test_users_that_cannot_be_read_offer_nobody(voice: Voice, tmp_path: Path) -> None:
    for users in ("{", "[" + " " * 1_100_000 + "]"):
        export = write(tmp_path / "export", {"conversations.json": CLAUDE, "users.json": users})
        ran = voice.ok("import", str(export), "--dry-run")
        assert ("1 thought" in ran.out, "owner.names" in ran.err) == (True, False)


def test_a_setting_is_changed_within_its_range_and_not_where_it_cannot_be_meant(voice: Voice) -> None:
    before = (voice.home / "voice.toml").read_bytes()
    for arguments, code, said in TABLES["a_setting_that_cannot_be_meant_changes_nothing"]:
        ran = voice("config", *arguments)
        assert (ran.code, said in ran.err) == (code, True), ran
    assert (voice.home / "voice.toml").read_bytes() == before
    ran = voice.ok("config", "retrieve.top_k", "400")
    assert "using 50" in ran.err
    assert ran.out.startswith("retrieve.top_k\t50\tfile\t")
    voice.ok("config", "enabled", "off")
    assert chosen(voice)["enabled"] is False
    assert voice.ok("config", "gate.enabled").out.startswith("gate.enabled\tfalse\tfile")
    (voice.home / "voice.toml").unlink()
    ran = voice("config", "owner.names", "Irma")
    assert (ran.code, "`voice --home" in ran.err or "voice init" in ran.err) == (4, True)
