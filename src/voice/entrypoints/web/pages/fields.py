"""What a form sends, and what an address asks for.

Law: values are words until a service reads them; too much of them is refused before it is read.
"""

from collections.abc import Mapping

from starlette.datastructures import QueryParams
from starlette.requests import Request

from voice.core.errors import InvalidParams

_MOST_FIELDS = 200
_MOST_PAGES = 1_000


async def fields_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a form, the last of each name; files are none.

    Raises:
        HTTPException: there are more fields than any form here has.
    """
    async with request.form(max_files=0, max_fields=_MOST_FIELDS) as form:
        return {name: value for name, value in form.multi_items() if isinstance(value, str)}


def page_of(query: QueryParams) -> int:
    """Return which page of a list is asked for, from 1.

    Raises:
        InvalidParams: that is no number of a page.
    """
    said = query.get("page", "1")
    if not (said.isascii() and said.isdecimal() and 1 <= int(said[:6]) <= _MOST_PAGES):
        raise InvalidParams(f"`page` is a number from 1 to {_MOST_PAGES:,}")
    return int(said)


def is_set(values: Mapping[str, str], name: str) -> bool:
    """Return whether a box is ticked, in a form or in an address."""
    return values.get(name) == "1"
