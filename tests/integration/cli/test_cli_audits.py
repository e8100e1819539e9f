"""Answers and prompts that were stored, audited and replayed on the command line."""

from collections.abc import Callable
from typing import Literal, cast

import pytest

from cli_runner import Ran, Voice

Documented = Callable[[str, Ran], None]
REMEMBERED = "Moved the kiln to the shed. Anna Lund fired the kiln at cone 6 on Friday."
QUESTION = "Where is the kiln?"


def answer_of(ran: Ran) -> dict[str, object]:
    return cast("dict[str, object]", ran.json)


@pytest.mark.requirement("promise:9")
def test_an_audit_ends_with_seven_once_something_fell(told: Voice, is_as_documented: Documented) -> None:
    empty = told.ok("sessions", "audit")
    assert "nothing to verify" in empty.out
    told.ok("ask", QUESTION)
    assert "all" not in told.ok("sessions", "audit", "--all").out.splitlines()[0]
    (listed,) = cast("list[dict[str, str]]", told.ok("sessions", "list", "--json").json)
    assert told.ok("sessions", "audit", "--all").out.startswith(f"✓ {listed['id'][:12]}  {QUESTION}  1 sentence of ")
    is_as_documented("cli/sessions-audit", told.ok("sessions", "audit", QUESTION, "--json"))
    forget(told)
    ran = told("sessions", "audit")
    assert (ran.code, "source removed" in ran.out, "Moved the kiln" in ran.out) == (7, True, True)
    document = told("sessions", "audit", "--json")
    is_as_documented("cli/sessions-audit", document)
    assert (document.code, answer_of(document)["grounded"]) == (7, False)
    assert told("sessions", "audit", QUESTION, "--all").code == 2
    assert told("sessions", "audit", "no such conversation").code == 2


@pytest.mark.requirement("promise:9")
def test_a_sentence_whose_words_went_with_another_row_is_said_not_to_be_judged(voice: Voice) -> None:
    voice.ok("remember", "The blue glaze needs cobalt and two firings.")
    voice.ok("remember", "Anna measured a blood pressure of 150 beside the blue glaze.")
    voice.ok("ask", "What do I know about the blue glaze?")
    voice.ok("redact", "--matching", "blood pressure", "--yes")
    ran = voice("sessions", "audit")
    assert (ran.code, "no longer supported" in ran.out) == (7, False)
    assert "sentence 1: source redacted  o:" in ran.out
    assert ran.out.splitlines()[0].endswith("  2 sentences of 1 answer: 2 with a source that was redacted")
    assert ran.out.count("it cannot be judged)") == 1
    assert ran.out.count("(not shown: a row it rests on was redacted)") == 1


@pytest.mark.requirement("ruling:D20")
def test_a_replay_proves_every_prompt_and_shows_none_unless_asked(told: Voice, is_as_documented: Documented) -> None:
    first = answer_of(told.ok("ask", QUESTION, "--json"))
    told("ask", "Who won the marathon in Oslo?")
    ran = told.ok("sessions", "replay", QUESTION)
    assert "1 proven, 1 nothing was sent" in ran.out
    assert "Rules" not in ran.out
    is_as_documented("cli/sessions-replay", told.ok("sessions", "replay", str(first["id"]), "--json"))
    shown = told.ok("sessions", "replay", str(first["id"]), "--show")
    assert f"## Question\n{QUESTION}" in shown.out
    document = told.ok("sessions", "replay", str(first["id"]), "--show", "--json")
    is_as_documented("cli/sessions-replay", document)
    assert QUESTION in document.out
    forget(told)
    gone = told("sessions", "replay", QUESTION)
    assert (gone.code, "was removed" in gone.out) == (8, True)
    assert told("sessions", "replay", "x:none").code == 2


@pytest.mark.requirement("promise:6")
def test_the_words_of_private_turns_are_audited_and_not_shown(voice: Voice) -> None:
    voice.ok("remember", "--private", REMEMBERED)
    turn = str(answer_of(voice.ok("ask", QUESTION, "--private", "--json"))["id"])
    assert "the session's id" in voice("ask", QUESTION, "-s", "A private conversation").err
    for command in (["audit", "--json"], ["replay", turn, "--show", "--json"]):
        assert "Moved the kiln" not in voice.ok("sessions", *command).out
        assert "Moved the kiln" in voice.ok("sessions", *command, "--private").out
    assert "--private shows it" in voice.ok("sessions", "replay", turn, "--show").out
    forget(voice)
    assert "--private shows it" in voice("sessions", "audit").out


@pytest.mark.requirement("promise:6")
def test_no_audit_repeats_what_was_redacted(told: Voice, is_as_documented: Documented) -> None:
    told.ok("ask", QUESTION)
    forget(told, reason="redacted")
    ran = told("sessions", "audit", "--private")
    assert (ran.code, "source redacted" in ran.out, "Moved the kiln" in ran.out) == (7, True, False)
    document = told("sessions", "audit", "--private", "--json")
    is_as_documented("cli/sessions-audit", document)
    assert "Moved the kiln" not in document.out


def forget(voice: Voice, reason: Literal["forgotten", "redacted"] = "forgotten") -> None:
    """Take every observation out of the memory, as forgetting or redacting does."""
    import anyio

    from voice.bootstrap import open_services
    from voice.core.records import Tombstone
    from voice.core.settings.parse import parse_settings
    from voice.ports.stores import WriteBatch

    async def bury() -> None:
        settings = parse_settings({"embed.provider": "hash"}, {}, {}).settings
        async with open_services(settings, voice.home) as services:
            rows = [each.row for each in await services.store.changes(0, 100) if each.row_id.startswith("o:")]
            stones = [
                Tombstone(row_id=row.id, keyed_hash=f"k{row.id}", reason=reason, at=services.clock.now())
                for row in rows
                if row
            ]
            await services.store.write(WriteBatch(tombstones=tuple(stones)))

    anyio.run(bury)
