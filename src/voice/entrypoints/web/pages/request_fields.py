"""The fields of forms and addresses, and what only a browser of the owner may send.

Law: values are words until a service reads them; too much of them is refused before it is read. An address says what
its page reads, each once, or it is refused in words: nothing is passed over, as nothing is at the door for programs. A
parameter without a value is as good as none, for that is how forms send a field that was left empty.

What only the person may do, in a browser of their own. A program that brings the token has the interface for programs,
where what it says waits for review; what a page takes as the person's own word it takes from a browser that came by the
link (ruling H).

Source: DESIGN 8 Web; ruling H.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from email.message import Message
from hashlib import sha256
from http import HTTPStatus
from typing import Final, TypeVar

from blake3 import blake3
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request

from voice.core.errors import InvalidParams
from voice.core.text.escaping import quoted_name
from voice.entrypoints.web.access import Refused
from voice.entrypoints.web.responses import ProblemError, refused_problem

_DIGEST_BYTES: Final = 16
_MOST_FIELDS = 200
_MOST_PAGES = 1_000
_PAGE = re.compile("[0-9]{1,6}")
_NAME_CHARS: Final = 40
_Name = TypeVar("_Name", bound=str)
_KINDS = ("application/x-www-form-urlencoded", "multipart/form-data")


class InvalidParameter(InvalidParams):
    """A parameter of an address, or a field of a form, is none, or says what is not offered there."""


async def fields_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a form, the last of each name; files are none.

    Raises:
        HTTPException: there are more fields than any form here has, or they are not written as forms are.
    """
    _require_form(request)
    async with request.form(max_files=0, max_fields=_MOST_FIELDS) as form:
        return {name: value for name, value in form.multi_items() if isinstance(value, str)}


def _require_form(request: Request) -> None:
    """Refuse what names another charset than UTF-8, whose reading could fail or make letters that are none.

    Raises:
        HTTPException: it is no form, in UTF-8.
    """
    message = Message()
    message["content-type"] = request.headers.get("content-type", _KINDS[0])
    said: list[tuple[str, object]] = [*message.get_params([])]
    charsets = {str(value).lower() for name, value in said if name.lower().startswith("charset")}
    if message.get_content_type() not in _KINDS or not charsets <= {"utf-8", "utf8"}:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a form is sent as a browser sends it, in UTF-8")


def require_known(query: QueryParams, known: Collection[str]) -> None:
    """Refuse an address that says something its page does not read, or says something twice.

    Args:
        query: what stands behind the question mark.
        known: the names that the page reads.

    Raises:
        InvalidParams: it does; the message names it, and what there is.
    """
    names = [name for name, _ in query.multi_items()]
    for name in names:
        shown = _shown(name)
        if name not in known:
            there = f"there are {', '.join(f'`{each}`' for each in known)}" if known else "this page takes none"
            raise InvalidParameter(f"{shown}: there is no such parameter in the address of this page; {there}")
        if names.count(name) > 1:
            raise InvalidParameter(f"{shown}: it stands twice in the address; say it once")


def _shown(name: str) -> str:
    """Return the name of a parameter so that it can be read, and something is there to read."""
    if quoted_name(name) is None:
        return "a name that cannot be read"
    return name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"


def one_of(values: Mapping[str, str], name: str, known: Iterable[_Name], default: _Name) -> _Name:
    """Return which of several values is said, in a form or in an address.

    Raises:
        InvalidParams: another one is.
    """
    choices = list(known)
    said = values.get(name) or default
    for each in choices:
        if each == said:
            return each
    raise InvalidParameter(f"`{name}` is one of: {', '.join(each for each in choices if each)}; or it is left out")


def page_of(query: Mapping[str, str]) -> int:
    """Return which page of a list is asked for, from 1.

    Raises:
        InvalidParams: that is no number of a page.
    """
    said = query.get("page") or "1"
    number = int(said) if _PAGE.fullmatch(said) else 0
    if not 1 <= number <= _MOST_PAGES:
        raise InvalidParameter(f"`page` is a number from 1 to {_MOST_PAGES:,}")
    return number


def is_set(values: Mapping[str, str], name: str) -> bool:
    """Return whether a box is ticked, in a form or in an address.

    Raises:
        InvalidParams: it says something else than a box does.
    """
    said = values.get(name, "")
    if said not in ("", "1"):
        raise InvalidParameter(f"`{name}` is 1, or it is left out")
    return said == "1"


def digest_of(said: Iterable[str]) -> str:
    """Return one short text for what a page shows, in any order, so that a form confirms that and nothing else."""
    return blake3("\n".join(sorted(said)).encode()).hexdigest(length=_DIGEST_BYTES)


def once_key(key: str, *said: str) -> str | None:
    """Return the key under which a form is carried out once; other words in it are another form. None without a key."""
    return sha256("\x00".join((key, *said)).encode("utf-8", "surrogatepass")).hexdigest() if key else None


def require_owner(request: Request) -> None:
    """Refuse a program: what it may do stands in the interface for programs.

    Raises:
        Stopped: the request brought the token, and no cookie of a browser.
    """
    if request.scope.get("voice.by") == "bearer":
        raise ProblemError(refused_problem(Refused("forged")))
