"""Render pages out of templates: navigation, theme, filters and the page of a problem.

Law: every value is escaped, and a name that a template uses and nobody gave is an error, not an empty place. A text of
the memory goes through `inert` first, so that it can only be read. Times are shown in the person's own zone. Light or
dark is the system's choice until somebody makes one here, which is kept in a cookie, so that a page comes in its
colours at once, without a script.

An error of the one tree is shown as a page, with its own message, status and title; whoever typed something finds it
again. An address that says what its page does not read is answered with the way to the page without it. What nobody
foresaw is not caught here.

Style sheets, scripts, icons and templates are part of the wheel and read once. A page names each with a hash of its
bytes, so a browser may keep it and never has an old one. No path of a request ever reaches the disk.
Source: DESIGN 8 Web; rulings D22, E; `voice.core.errors`; `voice.entrypoints.web.responses`; vendored, no CDN.
"""

import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache, partial, wraps
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import groupby
from typing import Final, Literal, cast
from urllib.parse import quote

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from voice.core.errors import VoiceError
from voice.core.grounding.answer_text import opening_of
from voice.core.grounding.values import PROVEN
from voice.core.messages.showing import CLOSEST, RUNGS
from voice.core.render.answer import coverage_note, lines_beside, lost_words, premise_lines
from voice.core.render.verification import checked_line
from voice.core.text.display import counted, printable, printable_block
from voice.core.text.instants import has_date, in_zone
from voice.core.text.markup import FENCE, fenced_code
from voice.core.text.sentences import cap_span
from voice.core.usage import Total
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.addresses import (
    InvalidParameter,
    answer_url,
    chat_url,
    fields_of,
    is_own_path,
    require_known,
    sentence_url,
    session_url,
    source_url,
)
from voice.entrypoints.web.pages.source_list import TRUST_IN_WORDS
from voice.entrypoints.web.pages.turn_view import cost_in_words, is_called_by_question
from voice.entrypoints.web.responses import ASK_AGAIN, FOR_EVER, Problem, problem_of

PREFIX = "/static"
_PACKAGE = "voice.entrypoints.web.pages"
_MEDIA_TYPES: Mapping[str, str] = {  # what is served, by the ending of its name; a file with another one is not
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
_HASH_CHARS = 16  # of a file's hash, in its address


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One file."""

    body: bytes
    media_type: str
    digest: str
    """SHA-256 of its bytes, hex."""


@dataclass(frozen=True, slots=True)
class Assets:
    """The files, by their path under `static/`."""

    by_name: Mapping[str, Asset]

    def url(self, name: str) -> str:
        """Return the address of a file by its path under `static/`; it changes with the file's bytes."""
        return f"{PREFIX}/{name}?v={self.by_name[name].digest[:_HASH_CHARS]}"

    @property
    def route(self) -> Route:
        """What serves them."""
        return Route(f"{PREFIX}/{{name:path}}", self._serve, methods=["GET"], name="static")

    async def _serve(self, request: Request) -> Response:
        asset = self.by_name.get(str(request.path_params["name"]))  # packaged names alone: no path reaches the disk
        if asset is None:
            raise HTTPException(404)
        etag = f'"{asset.digest}"'
        is_named = request.query_params.get("v") == asset.digest[:_HASH_CHARS]
        headers = {"etag": etag, "cache-control": FOR_EVER if is_named else ASK_AGAIN}
        if etag in request.headers.get("if-none-match", ""):  # a browser may send several
            return Response(status_code=304, headers=headers)
        return Response(asset.body, headers=headers, media_type=asset.media_type)


@cache
def packaged_assets() -> Assets:
    """Return the files that are packaged with this module; they are read once."""
    return Assets(dict(_assets_in(files(_PACKAGE) / "static", "")))


@cache
def packaged_templates() -> Mapping[str, str]:
    """Return the templates that are packaged with this module, by name; they are read once."""
    folder = files(_PACKAGE) / "templates"
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".html")}


def _assets_in(folder: Traversable, prefix: str) -> list[tuple[str, Asset]]:
    found: list[tuple[str, Asset]] = []
    for file in folder.iterdir():
        if file.is_dir():
            found += _assets_in(file, f"{prefix}{file.name}/")
        elif media_type := _MEDIA_TYPES.get(file.name.rpartition(".")[2]):
            body = file.read_bytes()
            asset = Asset(body=body, media_type=media_type, digest=sha256(body).hexdigest())
            found.append((f"{prefix}{file.name}", asset))
    return found


@dataclass(frozen=True, slots=True)
class Section:
    """One place in the navigation."""

    name: str
    path: str
    group: str

    def holds(self, path: str) -> bool:
        """Return whether the page at `path` is one of its own."""
        return path == self.path or (self.path != "/" and path.startswith(f"{self.path}/"))  # "/" begins every path


SECTIONS: tuple[Section, ...] = (
    Section("Chat", "/", "Talk"),
    Section("Sessions", "/sessions", "Talk"),
    Section("Add", "/add", "Memory"),
    Section("Import", "/import", "Memory"),
    Section("Sources", "/sources", "Memory"),
    Section("Graph", "/graph", "Memory"),
    Section("Review", "/review", "Memory"),
    Section("Pins", "/pins", "Memory"),
    Section("Reports", "/reports", "Upkeep"),
    Section("Settings", "/settings", "Upkeep"),
    Section("Doctor", "/doctor", "Upkeep"),
)


def section_of(path: str) -> Section | None:
    """Return the section that the page at `path` belongs to; a conversation belongs to the first one."""
    if path.startswith("/chat/"):  # the first section, whose path is "/", holds nothing else
        return SECTIONS[0]
    return next((section for section in SECTIONS if section.holds(path)), None)


def groups() -> dict[str, list[Section]]:
    """Return the sections under their headings, both in the order in which they are shown."""
    return {group: [*sections] for group, sections in groupby(SECTIONS, key=lambda each: each.group)}


_SAFE_IN_PATHS: Final = "/:@!$&'()*+,;=~"  # as browsers leave them in a path
CUT_FROM = 1_200
"""Characters of one text that a page shows before it offers the rest."""
DAY, MINUTE, MONTH = "%-d %b %Y", "%-d %b %Y, %H:%M", "%b %Y"  # "%-d": without a zero in front
"""How every page writes a day, a moment and a month."""
# A number with the unit that stands behind it: "1.5 kg", "20 €", not "12 monkeys".
_UNIT = re.compile(r"\d[\d.,]{0,30}+ (?:[€£$¥%°]|(?:k[gm]|cm|mm|ms|Hz|EUR|USD)\b)")


@dataclass(frozen=True, slots=True)
class Templates:
    """The templates of all pages, and the files they name."""

    environment: Environment
    assets: Assets

    def page(self, request: Request, name: str, status: int = 200, /, **values: object) -> HTMLResponse:
        """Return a whole page; an `address` among the values is where it is had again, if not under its section."""
        here = section_of(request.url.path)
        common: dict[str, object] = {
            "groups": groups(),
            "here": here,
            "address": _address(request, here),
            "theme": theme_of(request),
        }
        return HTMLResponse(self.part(name, **{**common, **values}), status)

    def form_page(self, request: Request, name: str, error: VoiceError | None, /, **values: object) -> HTMLResponse:
        """Return a page with a form; where that was refused, with the problem as `failed`, and under its status."""
        failed = problem_of(error) if error else None
        return self.page(request, name, failed.status if failed else 200, failed=failed, **values)

    def part(self, name: str, **values: object) -> str:
        """Return a part of a page: what a template makes of `values`."""
        return self.environment.get_template(name).render(**values)


def _address(request: Request, here: Section | None) -> str:
    """Return where a page can be had again; what a form was answered with cannot be, but its section can."""
    if request.method != "GET":  # a form was sent: loading it again would send it again
        return here.path if here else "/"
    path, query = quote(request.url.path, safe=_SAFE_IN_PATHS), quote(request.url.query, safe=f"{_SAFE_IN_PATHS}?%")
    return f"{path}?{query}" if query else path


def make_templates(timezone: str) -> Templates:
    """Return the templates, with what they may call; they show times in `timezone`."""
    assets = packaged_assets()
    environment = Environment(
        loader=DictLoader(packaged_templates()),
        autoescape=True,
        undefined=StrictUndefined,  # a name nobody gave is an error, not an empty place
        finalize=_inert,  # every value passes it, whatever a template forgets
        auto_reload=False,  # templates are part of the wheel
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cast("dict[str, object]", environment.filters).update(_filters(timezone))
    helpers: Mapping[str, object] = {
        "asset": assets.url,
        **{each.__name__: each for each in (source_url, session_url, chat_url, sentence_url, answer_url, counted)},
        **{
            each.__name__: each
            for each in (lost_words, lines_beside, checked_line, premise_lines, coverage_note, opening_of)
        },
        "is_called_by_question": is_called_by_question,
        "CLOSEST": CLOSEST,
        "CUT_FROM": CUT_FROM,
        "PROVEN": PROVEN,
        "RUNGS": RUNGS,
        "TRUST": TRUST_IN_WORDS,
    }
    cast("dict[str, object]", environment.globals).update(helpers)
    return Templates(environment, assets)


def _filters(timezone: str) -> dict[str, object]:
    return {
        "inert": printable,
        "inert_block": printable_block,
        "coded": _coded,
        "kept": _as_kept,
        "leading": _with_row_links,
        "head": _beginning,
        "minute": partial(_time, timezone=timezone, form=MINUTE),
        "day": partial(_time, timezone=timezone, form=DAY),
        "money": _money,
        "percent": "{:.0%}".format,
        "number": "{:,}".format,
    }


def _inert(value: object) -> object:
    """Return what a template puts into a page; a text that is no Markup yet can then only be read."""
    return printable_block(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _coded(text: str) -> Markup:
    """Return a text of ours as Markup: what stands between backticks is code, all else can only be read."""
    return _with_code(printable(text))


def _with_code(said: str) -> Markup:
    pieces = said.split("`") if said.count("`") % 2 == 0 else [said]  # an odd backtick begins no code
    return Markup().join(Markup("<code>{}</code>").format(one) if at % 2 else one for at, one in enumerate(pieces))


def _with_row_links(text: str, row_ids: Collection[str]) -> Markup:
    """Return a text of ours as Markup in which each row that it names leads to its page."""
    if not row_ids:
        return _coded(text)
    named = re.compile(f"({'|'.join(map(re.escape, sorted(row_ids, key=len, reverse=True)))})")  # ids may begin alike
    link = Markup('<a href="{}">{}</a>')
    pieces = enumerate(named.split(printable(text)))
    return Markup().join(link.format(source_url(one), one) if at % 2 else _with_code(one) for at, one in pieces)


def _as_kept(text: str) -> Markup:
    """Return a text of the memory with its lines, its fenced code as code."""
    parts, done = [Markup()], 0
    for start, end in fenced_code(text):
        lines = printable_block(text[start:end]).split("\n")
        code = "\n".join(lines[1 : -1 if FENCE.match(lines[-1]) else None])  # without the fences, where it is closed
        parts += (_with_units(text[done:start]), Markup('<code class="block">{}</code>').format(code))
        done = end
    return Markup().join((*parts, _with_units(text[done:])))


def _with_units(text: str) -> Markup:
    """Return a text in which no line ends between a number and its unit; no character changes."""
    shown, parts, done = printable_block(text).strip(), [Markup()], 0
    for found in _UNIT.finditer(shown):
        parts += [escape(shown[done : found.start()]), Markup('<span class="unit">{}</span>').format(found[0])]
        done = found.end()
    return Markup().join([*parts, escape(shown[done:])])


def _beginning(text: str, upper: int = CUT_FROM) -> str:
    """Return the beginning of a text that is too long to be shown whole, cut at the end of a sentence or a word."""
    start, end = cap_span(text, lower=upper * 3 // 4, upper=upper)  # a sentence may end in the last quarter
    return text[start:end]


def _time(moment: datetime, *, timezone: str, form: str) -> Markup:
    if not has_date(moment):
        return Markup("undated")
    local = in_zone(moment, timezone)
    return Markup('<time datetime="{}">{}</time>').format(local.isoformat(timespec="seconds"), local.strftime(form))


def _money(amount: Decimal | None) -> str:
    return cost_in_words(Total().plus(amount))


Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")
COOKIE = "voice_theme"
_A_YEAR_S = 31_536_000


def theme_of(request: Request) -> Theme:
    """Return the theme that somebody chose here; `auto` where nobody did, or what is no theme."""
    chosen = request.cookies.get(COOKIE)
    return chosen if chosen in THEMES else "auto"  # anybody may have set the cookie


async def choose_theme(request: Request) -> RedirectResponse:
    """Keep what was chosen and go back to the page it was chosen on."""
    fields = await fields_of(request)
    chosen, back = fields.get("theme"), fields.get("back", "")
    answer = RedirectResponse(back if is_own_path(back) else "/", 303)  # a form may lead back here alone
    if chosen in THEMES:
        answer.set_cookie(COOKIE, chosen, max_age=_A_YEAR_S, httponly=True, samesite="strict")
    return answer


THEME_ROUTE = Route("/theme", choose_theme, methods=["POST"], name="theme")


Handler = Callable[[Request], Awaitable[Response]]
PRIVATE: Final = ("private",)
"""The one parameter of many addresses: whether what is private is shown."""


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Some pages of one memory; each group tells its `routes`."""

    memory: Voice
    templates: Templates

    def route(self, method: str, path: str, handler: Handler, takes: Collection[str] = ()) -> Route:
        """Return a route whose errors are shown as a page; `takes` are the parameters it reads from the address."""

        @wraps(handler)
        async def answered(request: Request) -> Response:
            try:
                require_known(request.query_params, takes)  # before the handler: it reads only what it knows
                return await handler(request)
            except VoiceError as error:
                is_of_query = isinstance(error, InvalidParameter)
                return problem_page(self.templates, request, problem_of(error), is_of_query=is_of_query)

        return Route(path, answered, methods=[method])


def problem_page(templates: Templates, request: Request, problem: Problem, *, is_of_query: bool = False) -> Response:
    """Return the page of what went wrong; `is_of_query`: what stands behind the question mark is why."""
    is_of_address = is_of_query and request.method != "POST"  # a POST says nothing there that could be left out
    bare = quote(str(request.scope["path"]), safe="/:") if is_of_address else ""
    return templates.page(request, "problem.html", problem.status, problem=problem, bare=bare)
