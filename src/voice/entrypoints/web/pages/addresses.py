"""The addresses of pages, what they and forms say, and searches kept so that no address holds their words.

Law: an address that a page leads to holds ids and places, and what a person typed of a time; never a question, a search
or a text of the memory: addresses are kept in histories. A search stays in this process, under an id that means nothing
elsewhere; the oldest go when there are many, and all of them with the process.

An address says what its page reads, each once, or it is refused in words; a parameter without a value is as good as
none, for that is how forms send a field that was left empty. Values are words until a service reads them; too much of
them is refused before it is read. What a page takes as the person's own word it takes from a browser that came by the
link; a program that brings the token has the interface for programs, where what it says waits for review (ruling H).
Source: DESIGN 8 Web; promise 6; ruling H.
"""

import re
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from hashlib import sha256
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Final, Generic, TypeVar
from urllib.parse import quote, urlencode

from blake3 import blake3
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request

from voice.core.errors import InvalidParams
from voice.core.text.display import quoted_name
from voice.entrypoints.web.access import Refused
from voice.entrypoints.web.responses import ProblemError, refused_problem

TURNS_PER_PAGE = 20
"""Turns of a conversation on one page of its transcript."""
SPAN_ANCHOR = "span"
"""Where the page of a source shows the words that were cited."""


def address_of(path: str, params: Mapping[str, object]) -> str:
    """Return the address of a path with what is said behind a question mark; what is empty is left out."""
    query = urlencode({name: value for name, value in params.items() if value})  # 0 and False are empty as well
    return f"{path}?{query}" if query else path


def source_url(row_id: str, start: int | None = None, end: int | None = None) -> str:
    """Return the address of a row's page, at the cited words where their ends are given, in code points."""
    path = f"/sources/{quote(row_id, safe='')}"  # ids hold a colon, and may hold a slash
    return path if start is None or end is None else f"{path}?{urlencode({'from': start, 'to': end})}#{SPAN_ANCHOR}"


def wording_url(row_id: str, start: int, end: int, *, private: bool = False) -> str:
    """Return the address where one sentence of a row, its ends in code points, is corrected or forgotten."""
    params = {"from": start, "to": end, **({"private": 1} if private else {})}
    return f"/sources/{quote(row_id, safe='')}/sentence?{urlencode(params)}"


def session_url(session_id: str, turn: int | None = None, *, private: bool = False) -> str:
    """Return the address of a conversation's transcript, or of one turn in it, counted from 0."""
    path = f"/sessions/{quote(session_id, safe='')}"
    if turn is None:
        return address_of(path, {"private": int(private)})
    return f"{address_of(path, {'page': turn // TURNS_PER_PAGE + 1, 'private': int(private)})}#turn-{turn + 1}"


def chat_url(session_id: str, turn: int | None = None, *, private: bool = False) -> str:
    """Return the address where a conversation goes on, or of one turn there, counted from 0."""
    path = f"/chat/{quote(session_id, safe='')}{'?private=1' if private else ''}"
    return path if turn is None else f"{path}#turn-{turn + 1}"


def sentence_url(exchange_id: str, number: int, *, private: bool = False) -> str:
    """Return the address that shows what one sentence of an answer, counted from 0, rests on."""
    return f"/turns/{quote(exchange_id, safe='')}/sentences/{number}{'?private=1' if private else ''}"


def answer_url(exchange_id: str, *, private: bool = False) -> str:
    """Return the address of an answer as a file, with its sources."""
    return f"/turns/{quote(exchange_id, safe='')}/answer.md{'?private=1' if private else ''}"


def url_with_private(request: Request) -> str:
    """Return the path and query of a request, with what is private asked for."""
    address = request.url.include_query_params(private="1")  # with what else it said
    return f"{address.path}?{address.query}"


def is_own_path(address: str) -> bool:
    """Return whether an address is a path of this server, which a form may lead back to."""
    # "//evil.example" and "/\\evil.example" are other servers to a browser.
    return address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()


def graph_url(entity_id: str) -> str:
    """Return the address of the picture of what lies around an entity."""
    return f"/graph/{quote(entity_id, safe='')}"


MOST_KEPT: Final = 500
_T = TypeVar("_T")
_ID_BYTES: Final = 9  # 72 bits: not to be guessed


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What somebody looks for, in words."""

    words: str = field(default="", repr=False)
    when: str = field(default="", repr=False)
    tags: tuple[str, ...] = field(default=(), repr=False)
    path: str = field(default="", repr=False)
    """The file or folder that it came from."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said, so that everything is meant."""
        return not (self.words or self.when or self.tags or self.path)


@dataclass(slots=True, kw_only=True)
class Kept(Generic[_T]):
    """What pages of this process keep in mind, the newest of it, under ids that tell nothing of it."""

    most: int = MOST_KEPT
    _kept: OrderedDict[str, _T] = field(default_factory=OrderedDict[str, _T], repr=False)

    def keep(self, value: _T) -> str:
        """Return the id under which a value is found from now on."""
        known = next((each for each, kept in self._kept.items() if kept == value), None)
        kept_id = known or token_urlsafe(_ID_BYTES)
        self._kept[kept_id] = value
        self._kept.move_to_end(kept_id)  # used again: it goes last
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return kept_id

    def found(self, kept_id: str) -> _T | None:
        """Return the value, or None where it is not kept any more."""
        return self._kept.get(kept_id)


def search_of(words: str, when: str = "", tags: str = "", path: str = "") -> Search:
    """Return what was typed into a search form: words, a time in words, tags between commas or spaces, a path."""
    return Search(
        words=" ".join(words.split()),
        when=" ".join(when.split()),  # a blank more is no other search
        tags=tuple(sorted(set(tags.replace(",", " ").split()))),
        path=path.strip(),
    )


def between_commas(text: str) -> tuple[str, ...]:
    """Return what stands between the commas of a field, each once."""
    return tuple(dict.fromkeys(said for each in text.split(",") if (said := each.strip())))


_DIGEST_BYTES: Final = 16  # 128 bits
_MOST_FIELDS = 200  # of a form
_MOST_PAGES = 1_000
_PAGE = re.compile("[0-9]{1,6}")
_NAME_CHARS: Final = 40  # of a name in a message
_Name = TypeVar("_Name", bound=str)
_FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")  # what browsers send forms in


class InvalidParameter(InvalidParams):
    """A parameter of an address, or a field of a form, is none, or says what is not offered there."""


async def fields_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a form, the last of each name, without files; what is no form is an HTTPException."""
    _require_form(request)
    async with request.form(max_files=0, max_fields=_MOST_FIELDS) as form:  # files go to the one page that streams them
        return {name: value for name, value in form.multi_items() if isinstance(value, str)}


def _require_form(request: Request) -> None:
    """Refuse another charset than UTF-8, whose reading could fail or make letters that are none (HTTPException)."""
    message = Message()
    message["content-type"] = request.headers.get("content-type", _FORM_TYPES[0])  # no type: the first of them
    params: list[tuple[str, object]] = [*message.get_params([])]
    charsets = {str(value).lower() for name, value in params if name.lower().startswith("charset")}  # also "charset*"
    if message.get_content_type() not in _FORM_TYPES or not charsets <= {"utf-8", "utf8"}:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send the form in UTF-8, as a browser does")


def require_known(query: QueryParams, known: Collection[str]) -> None:
    """Refuse an address that says what its page does not read, or says something twice (InvalidParameter)."""
    names = [name for name, _ in query.multi_items()]
    for name in names:
        shown = _readable_name(name)  # the name is somebody else's text
        if name not in known:
            known_names = ", ".join(f"`{each}`" for each in known) or "no parameters"
            raise InvalidParameter(f"{shown}: unknown parameter; this page accepts {known_names}")
        if names.count(name) > 1:
            raise InvalidParameter(f"{shown}: the address contains it twice; give it once")


def _readable_name(name: str) -> str:
    """Return the name of a parameter so that it can be read, and something is there to read."""
    if quoted_name(name) is None:
        return "an unreadable name"
    return name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"


def one_of(values: Mapping[str, str], name: str, known: Iterable[_Name], default: _Name) -> _Name:
    """Return which of several values a form or an address says; another one is refused (InvalidParameter)."""
    choices = list(known)
    value = values.get(name) or default
    for each in choices:
        if each == value:
            return each
    raise InvalidParameter(f"`{name}` must be one of {', '.join(each for each in choices if each)}, or left out")


def page_of(query: Mapping[str, str]) -> int:
    """Return which page of a list is asked for, from 1; what is no such number is refused (InvalidParameter)."""
    value = query.get("page") or "1"
    number = int(value) if _PAGE.fullmatch(value) else 0
    if not 1 <= number <= _MOST_PAGES:
        raise InvalidParameter(f"`page` must be a number from 1 to {_MOST_PAGES:,}")
    return number


def is_set(values: Mapping[str, str], name: str) -> bool:
    """Return whether a box is ticked in a form or an address; another value than 1 is refused (InvalidParameter)."""
    value = values.get(name, "")
    if value not in ("", "1"):
        raise InvalidParameter(f"`{name}` must be 1, or left out")
    return value == "1"  # a box that is not ticked sends nothing


def digest_of(texts: Iterable[str]) -> str:
    """Return one short text for what a page shows, in any order, so that a form confirms that and nothing else."""
    return blake3("\n".join(sorted(texts)).encode()).hexdigest(length=_DIGEST_BYTES)  # the order of a list is no change


def once_key(key: str, *texts: str) -> str | None:
    """Return the key under which a form is carried out once; other words in it are another form. None without a key."""
    return sha256("\x00".join((key, *texts)).encode("utf-8", "surrogatepass")).hexdigest() if key else None


def require_owner(request: Request) -> None:
    """Refuse a program, which brings the token and no cookie (ProblemError): it has an interface of its own."""
    if request.scope.get("voice.by") == "bearer":  # set by `AccessGate`
        raise ProblemError(refused_problem(Refused("forged")))
