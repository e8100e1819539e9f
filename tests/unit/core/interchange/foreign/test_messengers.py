"""Exported chats of WhatsApp: each message its speaker's at its time, in whatever order day and month stand."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interchange_values import OWNER, broken, left_out, records
from tables import tables
from voice.core.interchange.build import build_thought
from voice.core.interchange.foreign.messengers import chat_lines, is_chat, is_day_first, stamp_of
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, FileLine, Omission, ParsedLine
from voice.core.records import Origin

TABLES = tables(__file__)


def read(text: str) -> list[FileLine]:
    lines = text.split("\n")
    stamps = [stamp for line in lines if (stamp := stamp_of(line))]
    return list(chat_lines(lines, "Kiln", UTC, day_first=is_day_first(stamps, UTC)))


@pytest.mark.requirement("imports:talk", "ruling:I6")
@pytest.mark.parametrize(("source", "said", "left"), TABLES["each_message_is_its_speakers_at_its_time"])
def test_each_message_is_its_speakers_at_its_time(
    source: str, said: tuple[tuple[str, str]], left: tuple[str, ...]
) -> None:
    assert is_chat(source)
    found = records(read(source))
    assert tuple((each.speaker, each.content) for each in found) == said
    assert tuple(reason for _, reason in left_out(read(source))) == left
    assert {each.created_at and f"{each.created_at:%Y-%m-%d %H}" for each in found} == {"2024-03-05 14"}
    assert {build_thought(each, OWNER).origin for each in found if each.speaker != "Irma"} == {Origin.TOOL}
    assert {each.thread for each in found} == {"whatsapp/Kiln"}


@pytest.mark.parametrize(
    ("first", "second", "day"), TABLES["the_order_of_day_and_month_is_the_one_in_which_the_messages_follow_one_another"]
)
def test_the_order_of_day_and_month_is_the_one_in_which_the_messages_follow_one_another(
    first: str, second: str, day: str
) -> None:
    found = records(read(f"{first}Irma: Hot?\n{second}Paul: Hot."))
    assert found[0].created_at is not None
    assert f"{found[0].created_at:%Y-%m-%d %H:%M}" == f"{day} 14:02"


@pytest.mark.parametrize("time", ["14:02", "2:02 PM", "2:02 pm"])
def test_where_the_messages_leave_the_order_open_the_persons_counts(time: str) -> None:
    stamps = [stamp for minute in range(2) if (stamp := stamp_of(f"05/03/2024, {time} - x: {minute}"))]
    assert (is_day_first(stamps, UTC, "day_first"), is_day_first(stamps, UTC, "month_first")) == (True, False)
    follow = [stamp_of(f"{day}/03/2024, {time} - x: y") for day in ("05", "25")]
    assert is_day_first([each for each in follow if each], UTC, "month_first")


def test_midnight_and_noon_of_a_clock_with_halves_are_told_apart() -> None:
    found = records(read("3/15/24, 12:05 AM - Irma: Late.\n3/15/24, 12:05 PM - Irma: Noon."))
    assert [each.created_at for each in found] == [datetime(2024, 3, 15, hour, 5, tzinfo=UTC) for hour in (0, 12)]


def test_what_cannot_be_read_is_named() -> None:
    lines = read(f"before\n\n05.03.2024, 14:02 - Irma: {'a' * (MAX_TEXT_CHARS + 1)}\n99.99.2024, 14:02 - Paul: Hot.")
    assert [where for where, _ in broken(lines)] == ["Kiln line 1", "Kiln line 3", "Kiln line 4"]
    assert read("") == []


@pytest.mark.parametrize(
    "text", ["", "Dear diary,\n05.03.2024, 14:02 - Irma: Hot.", "12.03.2024 - a note", "It is hot."]
)
def test_a_text_that_begins_with_no_time_is_no_chat(text: str) -> None:
    assert not is_chat(text)
    assert is_chat(f"05.03.2024, 14:02 - Irma: Hot.\n{text}")


@given(st.text(alphabet="[]0123456789./-:, \nAPM\u200e\u202f<>aI", max_size=120))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(is_chat(text), bool)
    assert all(isinstance(line, ParsedLine | BadLine | Omission) for line in read(text))


@pytest.mark.requirement("imports:talk")
@pytest.mark.parametrize("stamp", TABLES["a_message_has_its_time_in_every_language"])
def test_a_message_has_its_time_in_every_language(stamp: str) -> None:
    morning = stamp.translate({ord("후"): "전", ord("下"): "上", ord("後"): "前"})
    (early,) = records(read(f"{morning}Irma: The kiln is hot."))
    chat = f"{stamp}Irma: The kiln is hot.\n{stamp}Paul: Good."
    assert is_chat(chat)
    told = [(each.speaker, each.created_at and each.created_at.strftime("%m-%d %H:%M")) for each in records(read(chat))]
    assert told == [("Irma", "03-05 14:02"), ("Paul", "03-05 14:02")]
    assert early.created_at
    assert early.created_at.hour == (2 if {"후", "下", "後"}.intersection(stamp) else 14)
