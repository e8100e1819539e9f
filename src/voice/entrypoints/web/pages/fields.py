"""What a form sends, and what an address asks for.

Law: values are words until a service reads them; too much of them is refused before it is read.
"""

import re
from collections.abc import Mapping
from email.message import Message
from http import HTTPStatus

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request

from voice.core.errors import InvalidParams

_MOST_FIELDS = 200
_MOST_PAGES = 1_000
_PAGE = re.compile("[0-9]{1,6}")
_KINDS = ("application/x-www-form-urlencoded", "multipart/form-data")


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


def page_of(query: QueryParams) -> int:
    """Return which page of a list is asked for, from 1.

    Raises:
        InvalidParams: that is no number of a page.
    """
    said = query.get("page", "1")
    number = int(said) if _PAGE.fullmatch(said) else 0
    if not 1 <= number <= _MOST_PAGES:
        raise InvalidParams(f"`page` is a number from 1 to {_MOST_PAGES:,}")
    return number


def is_set(values: Mapping[str, str], name: str) -> bool:
    """Return whether a box is ticked, in a form or in an address."""
    return values.get(name) == "1"
