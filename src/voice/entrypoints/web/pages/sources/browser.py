"""Pages that browse, search, pin and correct sources, and the page of the pins.

Law: each handler asks one service and shows what it says; an invalid value is shown beside what was typed. As in
`voice.services.recall.pins`, a pin has a reason, and an end where one was said; private ones are counted, and shown
where that is asked for.
Source: DESIGN 8 Web (sources browser); promises 6, 9; rulings A18, F, G, H; docs/recall.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from voice.core.errors import EmbedderUnavailable, InvalidParams, VoiceError
from voice.core.recall.pins import PinRequest, parse_lifetime
from voice.core.recall.values import Pin
from voice.core.records import Scope
from voice.core.render.answer import shown_answer
from voice.core.retrieval.searchable_text import parse_literal
from voice.core.retrieval.values import Window
from voice.entrypoints.web.pages import source_list
from voice.entrypoints.web.pages.addresses import (
    Kept,
    Search,
    fields_of,
    is_own_path,
    is_set,
    one_of,
    search_of,
    session_url,
    source_url,
)
from voice.entrypoints.web.pages.rendering import PRIVATE, PageGroup
from voice.entrypoints.web.pages.source_list import (
    PAGE_SIZE,
    Entry,
    Pages,
    SourceQuery,
    TurnEntry,
    entry_of,
    turn_entry_of,
)
from voice.entrypoints.web.pages.sources.detail_view import span_of, view_of
from voice.entrypoints.web.pages.sources.note_editing import ADDED, added_in_words, source_redirect
from voice.entrypoints.web.pages.sources.removal import SourceGroup
from voice.services.graph.correct import Corrected

_LIFETIMES = {"": "for good", "1d": "a day", "1w": "a week", "4w": "four weeks", "52w": "a year"}
_DONE = ("", "pinned", "unpinned", "corrected", "shortened", *ADDED)  # what an address can say was just done


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listing:
    """What a list shows."""

    entries: tuple[Entry, ...] = ()
    turns: tuple[TurnEntry, ...] = ()  # of sessions, where these are looked through
    pages: Pages
    told: str
    warnings: tuple[str, ...] = ()
    is_far: bool = False  # whether nothing found says a word, or is close by the floor


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """What was typed into a form of the page, and what came of it."""

    form: str
    typed: Mapping[str, str]
    error: InvalidParams | None = None  # why it was refused
    foreseen: Corrected | None = None  # what a correction would do, where somebody only looked


@dataclass(frozen=True, slots=True)
class SourcePages(SourceGroup):
    """The pages of the sources of one memory."""

    searches: Kept[Search] = field(default_factory=Kept[Search])

    @property
    def routes(self) -> list[Route]:
        """The routes of the browser; those under a source come before the source itself, whose id may hold a slash."""
        one = f"{source_list.PATH}/{{row_id:path}}"
        return [
            self.route("GET", source_list.PATH, self.listed, source_list.TAKES),
            self.route("POST", source_list.PATH, self.search),
            self.route("GET", f"{one}/answers", self.answers, PRIVATE),
            self.of_source("POST", f"{one}/pin", self.pin),
            self.of_source("POST", f"{one}/unpin", self.unpin),
            self.of_source("POST", f"{one}/correct", self.correct),
            self.of_source("GET", one, self.source, ("from", "to", "all", "private", "done")),
        ]

    async def listed(self, request: Request) -> Response:
        """Show a page of the list."""
        query = SourceQuery.of(request.query_params)
        kept = self.searches.found(query.search_id)
        search, is_lost = kept or Search(), bool(query.search_id) and kept is None
        query = replace(query, search_id="") if is_lost else query
        listing, error = _Listing(pages=Pages(), told=""), None
        try:
            listing = await self._listing(query, search)
        except (InvalidParams, EmbedderUnavailable) as fault:
            error = fault
        return self.templates.form_page(
            request,
            "sources.html",
            error,
            query=query,
            search=search,
            shelf=listing,
            is_lost=is_lost,
            kinds=[(key, name, replace(query.first, kind=key).url) for key, name in source_list.KINDS.items()],
            standings=source_list.STANDINGS,
            hows=source_list.HOWS,
        )

    async def search(self, request: Request) -> Response:
        """Keep what is looked for and lead to what is found."""
        form = await fields_of(request)
        search = search_of(*(form.get(name, "") for name in ("words", "when", "tags", "place")))
        query = SourceQuery.of(form).first
        search_id = "" if search.is_empty else self.searches.keep(search)
        return RedirectResponse(replace(query, search_id=search_id).url, HTTPStatus.SEE_OTHER)

    async def _listing(self, query: SourceQuery, search: Search) -> _Listing:
        if query.kind == "turns":
            return await self._matching_turns(query, search) if search.words else _Listing(pages=Pages(), told="")
        if search.words and query.how == "near":
            return await self._nearest(query, search)
        if search.words or search.path:
            return await self._literal_matches(query, search)
        return await self._latest(query, search)

    async def _literal_matches(self, query: SourceQuery, search: Search) -> _Listing:
        services = self.memory.services
        words = parse_literal(search.words) if search.words else None
        where = query.where(search, self._window(search))
        found = await services.literal.rows(words, where, path=search.path, limit=PAGE_SIZE, skip=query.skip)
        entries = tuple(entry_of(row, found.texts[row.id], wanted=words) for row in found.rows)
        pages = source_list.part_pages(query, has_more=found.has_more)
        told = source_list.count_in_words(found.total, len(entries), query, "newest first")
        return _Listing(entries=entries, pages=pages, told=told)

    async def _matching_turns(self, query: SourceQuery, search: Search) -> _Listing:
        words, window = parse_literal(search.words), self._window(search)
        found = await self.memory.services.literal.turns(
            words, window=window, include_private=query.private, limit=PAGE_SIZE, skip=query.skip
        )
        return _Listing(
            turns=tuple(turn_entry_of(each, words) for each in found.turns),
            pages=source_list.part_pages(query, has_more=found.has_more),
            told="newest first",
            warnings=source_list.not_of_turns(query, search),
        )

    async def _latest(self, query: SourceQuery, search: Search) -> _Listing:
        where = query.where(search, self._window(search))
        found = await self.memory.services.catalogue.latest(where, limit=PAGE_SIZE, below=query.below)
        entries = tuple(entry_of(row, found.texts[row.id]) for row in found.leaf.rows)
        told = "latest changes first" if query.private else "latest changes first · private rows not shown"
        return _Listing(entries=entries, pages=source_list.leaf_pages(found.leaf.next, query), told=told)

    async def _nearest(self, query: SourceQuery, search: Search) -> _Listing:
        where = query.where(search, Window())
        found = await self.memory.services.catalogue.sought(search.words, where, when=search.when or None)
        near = found.found
        if search.path:
            there = await self.memory.services.literal.from_place((each.row for each in near), search.path)
            near = tuple(each for each in near if each.row.id in there)
        entries = [entry_of(each.row, each.text, score=each.cosine) for each in near]
        shown = tuple(entries[query.skip : query.skip + PAGE_SIZE])
        floor = self.memory.settings.retrieve.floor
        return _Listing(
            entries=shown,
            pages=source_list.part_pages(query, has_more=query.skip + PAGE_SIZE < len(entries)),
            told=source_list.count_in_words(len(entries), len(shown), query, "closest first"),
            warnings=found.selection.diagnostics.warnings,
            is_far=bool(near) and all(not each.lexical and (each.cosine or 0.0) < floor for each in near),
        )

    def _window(self, search: Search) -> Window:
        """Return the time that a search means, in words that are read as they are meant now."""
        return self.memory.services.find.window(search.when) if search.when else Window()

    async def source(self, request: Request, attempt: _Attempt | None = None) -> Response:
        """Show one source, with what came of a form of its page where one was filled in."""
        row_id = str(request.path_params["row_id"])
        private = is_set(request.query_params if attempt is None else attempt.typed, "private")
        dossier = await self.memory.services.dossiers(row_id, include_private=private)
        found = (await self.memory.services.source_locations([row_id])).get(row_id)
        show_all = is_set(request.query_params, "all")  # a text is cut, but for a marked place
        source = view_of(dossier, span_of(request.query_params), show_all=show_all, found=found)
        done = one_of(request.query_params, "done", _DONE, "")
        address = {"address": f"{source.url}{'?private=1' if private else ''}"} if attempt else {}
        return self.templates.form_page(
            request,
            "source.html",
            attempt.error if attempt else None,
            source=source,
            private=private,
            done=done,
            added=await added_in_words(self.memory, dossier, done) if done in ADDED else (),
            attempt=attempt,
            lifetimes=_LIFETIMES,
            whole=f"{source.url}?all=1{'&private=1' if private else ''}",
            **address,
        )

    async def answers(self, request: Request) -> Response:
        """Show which answers cite a source: as a page, or as the part of its page that asks for it."""
        row_id = str(request.path_params["row_id"])
        private = is_set(request.query_params, "private")
        found = await self.memory.services.dossiers.citing(row_id, include_private=private)
        values = {
            "citing": [(each, shown_answer(each)) for each in found.shown],
            "earlier": found.earlier,  # they cite only what it took the place of
            "more": found.more,
            "hidden": found.hidden,
        }
        if request.headers.get("hx-request") == "true":  # the script puts the part into the page
            return Response(self.templates.part("source_answers_part.html", **values), media_type="text/html")
        return self.templates.page(request, "source_answers.html", url=source_url(row_id), **values)

    async def pin(self, request: Request) -> Response:
        """Pin a source."""
        row_id, form = str(request.path_params["row_id"]), await fields_of(request)
        try:
            lifetime = parse_lifetime(form["for"]) if form.get("for") else None
            reason = form.get("reason", "")
            await self.memory.pin(row_id, reason, lifetime=lifetime, allow_private=is_set(form, "private"))
        except InvalidParams as error:
            return await self.source(request, _Attempt(form="pin", typed=form, error=error))
        return source_redirect(row_id, "pinned", form)

    async def unpin(self, request: Request) -> Response:
        """Take every pin off a source."""
        row_id, form = str(request.path_params["row_id"]), await fields_of(request)
        await self.memory.unpin(row_id)
        return source_redirect(row_id, "unpinned", form)

    async def correct(self, request: Request) -> Response:
        """Put other words in the place of a source's, or show what would follow."""
        row_id, form = str(request.path_params["row_id"]), await fields_of(request)
        is_dry_run = form.get("deed") == "look"  # "look": what would follow
        try:
            since = self.memory.services.find.window(form["since"]).start if form.get("since", "").strip() else None
            corrected = await self.memory.correct(
                row_id, form.get("text", ""), reason=form.get("reason") or None, since=since, dry_run=is_dry_run
            )
        except InvalidParams as error:
            return await self.source(request, _Attempt(form="correct", typed=form, error=error))
        if is_dry_run:
            return await self.source(request, _Attempt(form="correct", typed=form, foreseen=corrected))
        return source_redirect(corrected.row_id, "corrected", form)


_PINS = "/pins"
_OF_SESSION = "m:s:"  # a session's summary
_SUMMARY = "m:"  # other summaries have no page


class PinPages(PageGroup):
    """The page of pins and its forms."""

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            self.route("GET", _PINS, self.listed, ("target", "private", "expired")),
            self.route("POST", _PINS, self.add),
            self.route("POST", f"{_PINS}/remove", self.remove),
        ]

    async def listed(self, request: Request) -> Response:
        """Show the pins."""
        return await self._page(request, {"target": request.query_params.get("target", "")})

    async def add(self, request: Request) -> Response:
        """Pin something and lead back; where that cannot be, give back what was typed."""
        fields = await fields_of(request)
        try:
            await self.memory.services.pins.pin(_request_of(fields))
        except VoiceError as error:
            return await self._page(request, fields, error)
        return _back_to_pins(fields)

    async def remove(self, request: Request) -> Response:
        """Take a pin away; one that is gone already stays so."""
        fields = await fields_of(request)
        await self.memory.services.pins.unpin(fields.get("pin", ""))  # gone already: nothing to say
        return _back_to_pins(fields)

    async def _page(self, request: Request, fields: Mapping[str, str], error: VoiceError | None = None) -> Response:
        query = request.query_params
        include_private, include_expired = is_set(query, "private"), is_set(query, "expired")
        listed = await self.memory.services.pins.listed(
            scope=Scope.ALL, include_expired=include_expired, include_private=include_private
        )
        return self.templates.form_page(
            request,
            "pins.html",
            error,
            pins=[(view, _url(view.pin)) for view in listed.pins],
            hidden=listed.hidden,
            include_private=include_private,
            include_expired=include_expired,
            fields={name: fields.get(name, "") for name in ("target", "reason", "lifetime", "private")},
        )


def _request_of(fields: Mapping[str, str]) -> PinRequest:
    lifetime = fields.get("lifetime", "").strip()
    return PinRequest(
        target_id=fields.get("target", "").strip(),
        reason=fields.get("reason", ""),
        lifetime=parse_lifetime(lifetime) if lifetime else None,
        allow_private=is_set(fields, "private"),
    )


def _back_to_pins(fields: Mapping[str, str]) -> Response:
    back = fields.get("back", "")
    return RedirectResponse(back if is_own_path(back) else _PINS, HTTPStatus.SEE_OTHER)


def _url(pin: Pin) -> str | None:  # where its target is shown
    if pin.target_id.startswith(_OF_SESSION):
        return session_url(pin.target_id.removeprefix(_SUMMARY))
    return None if pin.target_id.startswith(_SUMMARY) else source_url(pin.target_id)
