"""The addresses of pages that other pages lead to.

Law: an address that a page leads to holds ids and places, and what a person typed of a time; never a question, a search
or a text of the memory: addresses are kept in histories.
"""

from urllib.parse import quote, urlencode

TURNS_PER_PAGE = 20
"""Turns of a conversation on one page of its transcript."""
SPAN_ANCHOR = "span"
"""Where the page of a source shows the words that were cited."""


def source_url(row_id: str, start: int | None = None, end: int | None = None) -> str:
    """Return the address of a row's page.

    Args:
        row_id: the row.
        start: where the cited words begin, in code points of its text; None leads to the row as a whole.
        end: where they end.
    """
    path = f"/sources/{quote(row_id, safe='')}"
    return path if start is None or end is None else f"{path}?{urlencode({'from': start, 'to': end})}#{SPAN_ANCHOR}"


def wording_url(row_id: str, start: int, end: int, *, private: bool = False) -> str:
    """Return the address where one sentence of a row is corrected or forgotten.

    Args:
        row_id: the row.
        start: where the cited words begin, in code points of its text.
        end: where they end.
        private: whether the row is private, so that it must be asked for by name.
    """
    asked = {"from": start, "to": end, **({"private": 1} if private else {})}
    return f"/sources/{quote(row_id, safe='')}/sentence?{urlencode(asked)}"


def session_url(session_id: str, turn: int | None = None, *, private: bool = False) -> str:
    """Return the address of a conversation's transcript, or of one turn in it.

    Args:
        session_id: the conversation.
        turn: which of its turns, from 0; None leads to its beginning.
        private: whether private turns are to be shown.
    """
    path = f"/sessions/{quote(session_id, safe='')}"
    asked = {"private": 1} if private else {}
    if turn is None:
        return f"{path}?{urlencode(asked)}" if asked else path
    return f"{path}?{urlencode({'page': turn // TURNS_PER_PAGE + 1, **asked})}#turn-{turn + 1}"


def chat_url(session_id: str, turn: int | None = None, *, private: bool = False) -> str:
    """Return the address where a conversation goes on, or of one turn there.

    Args:
        session_id: the conversation.
        turn: which of its turns, from 0; None leads to its end.
        private: whether private turns are to be shown.
    """
    path = f"/chat/{quote(session_id, safe='')}{'?private=1' if private else ''}"
    return path if turn is None else f"{path}#turn-{turn + 1}"


def sentence_url(exchange_id: str, number: int, *, private: bool = False) -> str:
    """Return the address that shows what one sentence of an answer rests on.

    Args:
        exchange_id: the turn.
        number: which of its sentences, from 0.
        private: whether the turn is private, so that it must be asked for by name.
    """
    return f"/turns/{quote(exchange_id, safe='')}/sentences/{number}{'?private=1' if private else ''}"


def answer_url(exchange_id: str, *, private: bool = False) -> str:
    """Return the address of an answer as a file, with its sources.

    Args:
        exchange_id: the turn.
        private: whether the turn is private, so that it must be asked for by name.
    """
    return f"/turns/{quote(exchange_id, safe='')}/answer.md{'?private=1' if private else ''}"


def is_own_path(address: str) -> bool:
    """Return whether an address is a path of this server, which a form may lead back to."""
    return address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()


def graph_url(entity_id: str) -> str:
    """Return the address of the picture of what lies around an entity."""
    return f"/graph/{quote(entity_id, safe='')}"
