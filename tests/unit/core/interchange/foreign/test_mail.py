"""A mail as a line: its writer's words alone, and never believed to be one's own because it says so."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interchange_values import OWNER, record_of, thought_of
from tables import tables
from voice.core.interchange.build import build_thought
from voice.core.interchange.foreign.mail import Mail, mail_line, own_words
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, Omission, ParsedLine, ThoughtLine
from voice.core.messages import files as messages
from voice.core.records import Origin

TABLES = tables(__file__)

AT = datetime(2025, 3, 1, 9, tzinfo=UTC)
OWN = frozenset({"irma@example.org", "irma"})


def line_of(mail: Mail, own: frozenset[str] = OWN) -> ThoughtLine:
    return record_of(mail_line(mail, "the mail in line 1", own))


@pytest.mark.parametrize("text", TABLES["quotations_and_signatures_are_left_out"])
def test_quotations_and_signatures_are_left_out(text: str) -> None:
    assert own_words(text) == "Yes, Tuesday."


@pytest.mark.parametrize("text", TABLES["what_only_resembles_a_quotation_is_kept"])
def test_what_only_resembles_a_quotation_is_kept(text: str) -> None:
    assert own_words(text) == text


@pytest.mark.requirement("imports:owner")
@pytest.mark.parametrize(
    ("mail", "owner"),
    [
        (Mail(name="Irma Sauer", labels=("Sent",), body="Yes."), "Irma Sauer"),
        (Mail(name="", labels=("Sent",), body="Yes."), None),
        (Mail(name="Paul", labels=("Inbox",), body="Yes."), None),
        (Mail(name="Paul", labels=("Sent",), is_delivered=True, body="Yes."), None),
    ],
)
def test_a_mail_among_those_that_were_sent_shows_whose_they_are(mail: Mail, owner: str | None) -> None:
    found = mail_line(mail, "the mail in line 1")
    assert isinstance(found, ParsedLine)
    assert found.owner == owner


@given(st.text(alphabet="On1 wrote:\n>-_Frm", max_size=80))
def test_nothing_is_added_to_what_was_written(text: str) -> None:
    lines = {line.rstrip() for line in text.split("\n")} | {""}
    assert set(own_words(text).split("\n")) <= lines


def test_the_subject_goes_before_the_first_mail_and_not_before_a_reply() -> None:
    first = Mail(subject="The kiln", body="It is hot.", message_id="1@x", name="Paul", address="p@x", at=AT)
    assert line_of(first).content == "# The kiln\n\nIt is hot."
    assert (line_of(first).source_ref, line_of(first).thread) == ("mail/1@x", "mail/The kiln")
    reply = Mail(subject="Re: AW: The kiln", body="Good.", thread="1@x")
    assert (line_of(reply).content, line_of(reply).thread, line_of(reply).source_ref) == ("Good.", "mail/1@x", None)
    sent = replace(reply, message_id="2@x")
    assert (line_of(sent).thread, line_of(sent).source_ref) == ("mail/The kiln", "mail/2@x")
    assert line_of(replace(sent, subject="AW: ")).thread == "mail/1@x"
    bare = line_of(Mail(body="Good."))
    assert (bare.thread, bare.speaker) == (None, None)


@pytest.mark.requirement("ruling:H.3")
@pytest.mark.parametrize(
    ("mail", "origin"),
    [
        (Mail(body="a", name="Irma", address="irma@example.org"), Origin.HUMAN),
        (Mail(body="a", name="Irma Kowalski", address="Irma@example.org"), Origin.HUMAN),
        (Mail(body="a", name="Paul", address="paul@example.org"), Origin.TOOL),
        (Mail(body="a", name="Irma", address="irma@example.org", is_delivered=True), Origin.TOOL),
        (Mail(body="a", name="Paul", address="paul@example.org", is_delivered=True), Origin.TOOL),
        (Mail(body="a"), Origin.TOOL),
    ],
)
def test_a_mail_that_was_delivered_is_never_ones_own_whatever_it_bears(mail: Mail, origin: Origin) -> None:
    assert build_thought(line_of(mail), replace(OWNER, own_speakers=OWN)).origin is origin


def test_what_has_no_words_or_was_thrown_away_is_left_out_with_its_reason() -> None:
    spam = mail_line(Mail(body="Buy!", labels=("Inbox", "Spam")), "w")
    quoted = mail_line(Mail(body="> a\n-- \nme"), "w")
    assert (spam, quoted) == (
        Omission(where="w", reason=messages.MAIL_IN_BIN),
        Omission(where="w", reason=messages.MAIL_WITHOUT_TEXT),
    )
    assert isinstance(mail_line(Mail(body="a" * (MAX_TEXT_CHARS + 1)), "w"), BadLine)


def test_the_same_mail_makes_the_same_thought() -> None:
    mail = Mail(body="It is hot.", message_id="1@x", at=AT)
    assert thought_of(line_of(mail)).id == thought_of(line_of(mail)).id
