"""Pages of programs' notes: read them, and approve or decline them.

Law: what is said here is a person's word (rulings H, J2); each form is one decision, carried out whole or refused. One
decision on all that a filter shows is told first and carried out once it is confirmed, on what was shown and on nothing
that came since.
Source: DESIGN 8 Web; rulings H, J2.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from voice.core.errors import VoiceError
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.messages.showing import A_PROGRAM
from voice.core.records import Thought
from voice.core.vouch import Vouch
from voice.entrypoints.shared.moments import parse_moment
from voice.entrypoints.shared.review import NumberedSentence, numbered_sentences
from voice.entrypoints.web.pages.addresses import address_of, digest_of, fields_of, is_set, one_of, source_url
from voice.entrypoints.web.pages.rendering import PageGroup
from voice.services.graph.vouching import Vouching

PATH: Final = "/review/notes"
STATES: Final[Mapping[str, str]] = {
    "waiting": "Waiting",
    "approved": "Approved",
    "partly": "Approved in part",
    "declined": "Declined",
}
PAGE_SIZE: Final = 50
_PARTS: Final = 12  # programs that narrow the list
_DEEDS: Final = ("approve", "decline")
_SENTENCE: Final = "sentence-"  # how the names of a sentence's box begin


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesQuery:
    """Which notes an address or a form asks for."""

    state: str = "waiting"
    noted_by: str = field(default="")
    since: str = ""
    private: bool = False

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> "NotesQuery":
        """Read what is asked for."""
        return cls(
            state=one_of(fields, "state", tuple(STATES), "waiting"),
            noted_by=fields.get("from", "").strip(),
            since=fields.get("since", "").strip(),
            private=is_set(fields, "private"),
        )

    @property
    def fields(self) -> Mapping[str, str]:
        """What a form sends along, so that its answer leads back here."""
        values = {
            "state": self.state,
            "from": self.noted_by,
            "since": self.since,
            "private": "1" if self.private else "",
        }
        return {name: value for name, value in values.items() if value}

    @property
    def url(self) -> str:
        """The address of the list."""
        return address_of(PATH, self.fields)


class NotedPages(PageGroup):
    """The pages of what programs noted."""

    @property
    def routes(self) -> list[BaseRoute]:
        """Where they are."""
        return [
            self.route("GET", PATH, self.listed, ("state", "from", "since", "private")),
            self.route("POST", PATH, self.decide_all),
            self.route("POST", f"{PATH}/{{thought_id}}", self.decide),
        ]

    async def listed(self, request: Request) -> Response:
        """Show the notes that are asked for."""
        return await self._page(request, NotesQuery.of(request.query_params))

    async def decide(self, request: Request) -> Response:
        """Carry out one decision on one note, and lead back; where that cannot be, say why above the list."""
        thought_id, form = str(request.path_params["thought_id"]), await fields_of(request)
        query, deed = NotesQuery.of(form), one_of(form, "deed", _DEEDS, "approve")
        numbers = [int(name.removeprefix(_SENTENCE)) for name in form if _is_number(name)]  # none ticked: all of it
        try:
            if deed == "decline":
                await self._vouching.decline([thought_id])
            else:
                await self._vouching.approve([thought_id], sentences=numbers)
        except VoiceError as error:
            return await self._page(request, query, error)
        return RedirectResponse(query.url, HTTPStatus.SEE_OTHER)

    async def decide_all(self, request: Request) -> Response:
        """Show what one decision on all that is asked for would be, and carry it out once that is confirmed."""
        form = await fields_of(request)
        query, deed = NotesQuery.of(form), one_of(form, "deed", _DEEDS, "approve")
        notes = (await self._vouching.listed(self._filter(query))).thoughts
        digest = digest_of(each.id for each in notes)  # of what is shown: a note that came since is another set
        if form.get("sure_of") == digest:  # sent by the page that showed them
            decide = self._vouching.decline if deed == "decline" else self._vouching.approve
            await decide([each.id for each in notes])
            return RedirectResponse(query.url, HTTPStatus.SEE_OTHER)
        return self.templates.page(
            request, "noted_all.html", query=query, deed=deed, digest=digest, notes=notes, is_other="sure_of" in form
        )

    @property
    def _vouching(self) -> Vouching:
        return self.memory.services.review.vouching

    def _filter(self, query: NotesQuery) -> NotedFilter:
        now = self.memory.services.clock.now()
        since = parse_moment(query.since, "since", self.memory.settings, now) if query.since else None
        return NotedFilter(
            vouched=Vouch(query.state), noted_by=query.noted_by or None, since=since, include_private=query.private
        )

    async def _page(self, request: Request, query: NotesQuery, error: VoiceError | None = None) -> Response:
        where = self._filter(query)
        found = await self._vouching.listed(where)
        every = found if query.private else await self._vouching.listed(replace(where, include_private=True))
        return self.templates.form_page(
            request,
            "noted.html",
            error,
            query=query,
            notes=[_shown(each) for each in found.thoughts[:PAGE_SIZE]],
            total=found.total,
            hidden=every.total - found.total,
            with_private=replace(query, private=True).url,
            parts=_parts(query, found.thoughts),
            states=STATES,
        )


def _parts(query: NotesQuery, notes: Sequence[Thought]) -> list[tuple[str, int, str]]:
    """Return the parts that a list is narrowed to with one step: (name, how many, address); none that is all of it."""
    programs = Counter(each.noted_by or A_PROGRAM for each in notes)
    parts = [(name, count, replace(query, noted_by=name).url) for name, count in programs.most_common(_PARTS)]
    return parts if len(programs) > 1 else []  # one program: nothing to narrow


def _shown(thought: Thought) -> Mapping[str, object]:
    return {
        "note": thought,
        "url": source_url(thought.id),
        "sentences": [(each.number, _marked(each), each.counts) for each in numbered_sentences(thought)],
        "can_decide": thought.vouched is not Vouch.APPROVED,  # what was declined can be approved yet
        "can_decline": thought.vouched is Vouch.WAITING,
    }


def _marked(sentence: NumberedSentence) -> str:
    unfound = f" (the working tree did not contain: {', '.join(sentence.unfound)})" if sentence.unfound else ""
    return sentence.text + unfound


def _is_number(name: str) -> bool:
    number = name.removeprefix(_SENTENCE)
    return name.startswith(_SENTENCE) and number.isdecimal() and len(number) < 10  # int() takes other digits
