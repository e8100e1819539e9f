"""Whom an export calls its owner."""

import pytest

from voice.core.interchange.foreign.chatgpt import chatgpt_owner
from voice.core.interchange.foreign.claude import claude_owner
from voice.core.interchange.foreign.messengers import telegram_lines
from voice.core.interchange.memory_lines import Omission, ParsedLine

pytestmark = pytest.mark.requirement("imports:owner")

SAID = {"id": 1, "type": "message", "date_unixtime": "1741000000", "from": "Tom", "text": "Hi."}
JOINED = {"id": 2, "type": "service"}


def owners(personal: object) -> list[str | None]:
    """Return the owner of each line of an account."""
    chats = {"list": [{"name": "Tom", "id": 7, "messages": [SAID, JOINED]}]}
    lines = telegram_lines({"personal_information": personal, "chats": chats}, "export 1")
    assert isinstance(lines[1], Omission)
    return [line.owner for line in lines if isinstance(line, ParsedLine)]


def test_an_account_of_telegram_says_whose_it_is() -> None:
    assert owners({"first_name": "Irma", "last_name": "Sauer", "phone_number": "1"}) == ["Irma Sauer"]
    assert owners({"first_name": "Irma", "last_name": ""}) == ["Irma"]
    assert owners({}) == [None]
    assert owners(None) == [None]


def test_an_export_of_chatgpt_says_whose_it_is_where_its_file_holds_a_name() -> None:
    assert chatgpt_owner({"id": "user-1", "name": " Irma Sauer ", "email": "irma@x.de"}) == "Irma Sauer"
    assert chatgpt_owner({"id": "user-1", "email": "irma@x.de", "chatgpt_plus_user": False}) is None
    assert chatgpt_owner([]) is None


def test_the_users_of_an_export_of_claude_say_whose_it_is_where_there_is_one() -> None:
    assert claude_owner([{"full_name": " Irma Sauer ", "uuid": "1"}]) == "Irma Sauer"
    assert claude_owner([{"full_name": "Irma"}, {"full_name": "Tom"}]) is None
    assert claude_owner([{"full_name": ""}]) is None
    assert claude_owner({"full_name": "Irma"}) is None
