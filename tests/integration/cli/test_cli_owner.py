"""Whose memory it is: said at init or later, offered by imports, and what is answered of them."""

import json
import tomllib
import zipfile
from pathlib import Path
from typing import cast

import pytest

from cli_runner import Voice
from tables import tables

TABLES = tables(__file__)

SAID = tuple(TABLES["said"])
OWN = tuple(TABLES["own"])
CHAT = """\
03/11/2025, 14:02 - Tom: I have a beagle called Bruno.
03/11/2025, 14:03 - Irma Sauer: I have a cat called Luna.
03/11/2025, 14:04 - Tom: My shoe size is 45.
03/11/2025, 14:05 - Irma Sauer: Mine is 38, I need new shoes.
"""

CHAT_OF_TWO = """\
12/03/2026, 18:02 - Irma Sauer: I'm 41 and I still can't park
12/03/2026, 18:04 - Irma Sauer: I drive a red Fiat Panda now
12/03/2026, 18:05 - Hugo: I am 52 and we live in Aveiro now
"""


def answer(voice: Voice, question: str) -> str | None:
    ran = voice("ask", "--new", question, question, "--json")
    said = cast("dict[str, object]", json.loads(ran.out))
    return str(said["answer"]) if said["status"] == "answered" else None


def remember(voice: Voice, *texts: str) -> None:
    for text in texts:
        voice.ok("remember", text)


@pytest.mark.requirement("grounding:owner")
def test_what_is_said_of_others_answers_nothing_about_me(voice: Voice) -> None:
    remember(voice, *SAID)
    for question in ("How many children do I have?", "Where do I live?", "What is my blood type?", "Do I have a car?"):
        assert answer(voice, question) is None, question
    assert "five" in (answer(voice, "How many children does Maria have?") or "")


@pytest.mark.requirement("grounding:owner")
def test_what_i_say_of_myself_does_beside_what_is_said_of_others(voice: Voice) -> None:
    remember(voice, *SAID, *OWN)
    for question, held in (
        ("How many children do I have?", "two children"),
        ("Where do I live?", "Porto"),
        ("What is my blood type?", "0 positive"),
        ("What is my job?", "pottery"),
        ("What is my wife's name?", "Clara"),
    ):
        said = answer(voice, question) or ""
        assert held in said, (question, said)
        assert not any(other in said for other in SAID), (question, said)


@pytest.mark.requirement("grounding:identity")
def test_a_number_with_its_noun_is_answered_by_that_one_or_not_at_all(voice: Voice) -> None:
    remember(voice, "Boat 257 lies at the quay.", "Boat 161 lies there, seen on 2020-05-12.", "12 gulls on a boat.")
    assert answer(voice, "Where is boat number 12?") is None
    remember(voice, "Boat no. 12 lies in the shed.")
    assert "shed" in (answer(voice, "Where is boat number 12?") or "")


@pytest.mark.requirement("grounding:owner")
def test_in_a_conversation_my_own_words_count_and_not_the_other_speakers(voice: Voice, tmp_path: Path) -> None:
    voice.ok("config", "owner.names", "Irma Sauer, Mimi")
    (tmp_path / "chat.txt").write_text(CHAT, encoding="utf-8")
    voice.ok("import", str(tmp_path / "chat.txt"), "--as", "logged")
    assert "Luna" in (answer(voice, "What is my cat called?") or "")
    assert "38" in (answer(voice, "What is my shoe size?") or "")
    assert "45" not in (answer(voice, "What is my shoe size?") or "")
    assert answer(voice, "Do I have a dog?") is None


@pytest.mark.requirement("grounding:owner:who")
def test_who_i_am_is_answered_from_the_settings_and_from_my_own_words(voice: Voice) -> None:
    assert answer(voice, "Who am I?") is None
    shown = voice.ok("config", "owner.names", "Irma Sauer, Mimi").out
    assert shown == "owner.names\tIrma Sauer, Mimi\tfile\tSURR_OWNER_NAMES\n"
    assert answer(voice, "Who am I?") == "Your settings say that you are Irma Sauer, also called Mimi."
    remember(voice, "I am Mimi, a potter from Porto.", "Tom said that Mimi is away.")
    said = answer(voice, "What is my name?") or ""
    assert "I am Mimi, a potter from Porto." in said
    assert "away" not in said


@pytest.mark.requirement("grounding:owner:who")
def test_init_takes_the_names(voice: Voice) -> None:
    (voice.home / "voice.toml").unlink()
    voice.home.rmdir()
    made = cast("dict[str, object]", voice.ok("init", "--name", "Irma Sauer", "--name", "Mimi", "--json").json)
    assert made["names"] == ["Irma Sauer", "Mimi"]
    assert tomllib.loads((voice.home / "voice.toml").read_text(encoding="utf-8"))["owner"] == {
        "names": "Irma Sauer, Mimi"
    }


@pytest.mark.requirement("imports:owner")
def test_an_import_offers_the_name_of_whose_export_it_is_once(voice: Voice, tmp_path: Path) -> None:
    talk = [{"uuid": "c1", "chat_messages": [{"uuid": "1", "sender": "human", "text": "Where is the kiln?"}]}]
    with zipfile.ZipFile(tmp_path / "claude.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps(talk))
        archive.writestr("users.json", json.dumps([{"full_name": "Irma O'Hara $(id)"}]))
    offer = "voice: if you are Irma O'Hara $(id), run this once: `voice config owner.names 'Irma O'\"'\"'Hara $(id)'`"
    assert offer in voice.ok("import", str(tmp_path / "claude.zip"), "--dry-run").err.splitlines()
    assert voice.ok("import", str(tmp_path / "claude.zip")).err.splitlines()[-1] == offer
    voice.ok("config", "owner.names", "Irma O'Hara")
    assert "owner.names" not in voice.ok("import", str(tmp_path / "claude.zip"), "--dry-run").err


@pytest.mark.requirement("imports:owner")
def test_an_import_offers_the_name_that_i_gave_it_and_no_address(voice: Voice, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(CHAT, encoding="utf-8")
    ran = voice.ok("import", str(tmp_path / "chat.txt"), "--me", "irma@example.org", "--me", "Irma Sauer")
    assert "`voice config owner.names 'Irma Sauer'`" in ran.err


@pytest.mark.requirement("imports:owner")
@pytest.mark.parametrize(("user", "offered"), [({"name": "Irma Sauer"}, True), ({"email": "irma@example.org"}, False)])
def test_an_export_of_chatgpt_offers_the_name_that_it_holds_and_no_address(
    voice: Voice, tmp_path: Path, user: dict[str, str], *, offered: bool
) -> None:
    said = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Where is the kiln?"]}}
    with zipfile.ZipFile(tmp_path / "chatgpt.zip", "w") as archive:
        archive.writestr(
            "conversations.json", json.dumps([{"id": "c", "mapping": {"a": {"id": "a", "message": said}}}])
        )
        archive.writestr("user.json", json.dumps(user))
    err = voice.ok("import", str(tmp_path / "chatgpt.zip")).err
    assert ("`voice config owner.names 'Irma Sauer'`" in err) is offered
    assert "irma@example.org" not in err


@pytest.mark.requirement("imports:owner")
def test_a_chat_in_which_nobody_is_known_to_be_me_says_so_and_once_i_am_named_my_words_answer(
    voice: Voice, tmp_path: Path
) -> None:
    (tmp_path / "chat.txt").write_text(CHAT_OF_TWO, encoding="utf-8")
    chat = str(tmp_path / "chat.txt")
    told = voice.ok("import", chat).err
    before = answer(voice, "How old am I?")
    voice.ok("config", "owner.names", "Irma Sauer")
    again = voice.ok("import", chat)
    assert "none of these is known to be you: Irma Sauer (2), Hugo (1)" in told
    assert "`voice config owner.names 'Irma Sauer'`" in told
    assert before is None
    assert "2 thoughts" in again.out
    assert "owner.names" not in again.err
    assert answer(voice, "How old am I?") == "Irma Sauer: I'm 41 and I still can't park."
    assert "thought" not in voice.ok("import", chat).out.replace("already known", "")


@pytest.mark.requirement("imports:owner")
def test_talk_with_an_assistant_that_names_nobody_says_how_to_add_my_name(voice: Voice, tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "The kiln is blue."}, {"role": "assistant", "content": "A fine colour."}]
    (tmp_path / "talk.json").write_text(json.dumps({"messages": turns}), encoding="utf-8")
    told = voice.ok("import", str(tmp_path / "talk.json"), "--format", "messages").err
    assert "this export does not say your name" in told


@pytest.mark.requirement("imports:owner")
def test_users_that_cannot_be_read_offer_nobody(voice: Voice, tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    talk = [{"uuid": "c1", "chat_messages": [{"uuid": "1", "sender": "human", "text": "Where is the kiln?"}]}]
    (tmp_path / "export" / "conversations.json").write_text(json.dumps(talk), encoding="utf-8")
    for users in ("{", "[" + " " * 1_100_000 + "]"):
        (tmp_path / "export" / "users.json").write_text(users, encoding="utf-8")
        assert "owner.names" not in voice.ok("import", str(tmp_path / "export"), "--dry-run").err


@pytest.mark.parametrize(("arguments", "code", "said"), TABLES["a_setting_that_cannot_be_meant_changes_nothing"])
def test_a_setting_that_cannot_be_meant_changes_nothing(
    voice: Voice, arguments: tuple[str, str], code: int, said: str
) -> None:
    before = (voice.home / "voice.toml").read_bytes()
    ran = voice("config", *arguments)
    assert (ran.code, said in ran.err) == (code, True), ran
    assert (voice.home / "voice.toml").read_bytes() == before


def test_a_setting_is_changed_within_its_range_and_shown(voice: Voice) -> None:
    ran = voice.ok("config", "retrieve.top_k", "400")
    assert "using 50" in ran.err
    assert ran.out.startswith("retrieve.top_k\t50\tfile\t")
    voice.ok("config", "enabled", "off")
    assert tomllib.loads((voice.home / "voice.toml").read_text(encoding="utf-8"))["enabled"] is False
    assert voice.ok("config", "gate.enabled").out.startswith("gate.enabled\tfalse\tfile")


def test_there_is_nothing_to_change_without_a_settings_file(voice: Voice) -> None:
    (voice.home / "voice.toml").unlink()
    ran = voice("config", "owner.names", "Irma")
    assert (ran.code, "`voice --home" in ran.err or "voice init" in ran.err) == (4, True)
