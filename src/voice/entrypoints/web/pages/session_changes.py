"""What a person changes about a conversation.

Law: each change is one call of a service and leads back to where it shows. What cannot be undone is shown first; what
is then deleted is what was shown, and nothing that came since.

Source: DESIGN 8 Web; rulings D21, H; docs/sessions.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from voice.core.errors import InvalidParams
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.fields import fields_of, is_set
from voice.entrypoints.web.pages.links import chat_url, session_url
from voice.entrypoints.web.pages.problems import PRIVATE, Handler, with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.services.sessions.lifecycle import Deletion, SessionLife

_TOPIC_STATUSES: Final = ("open", "resolved", "abandoned")
_SHOWN = "shown:"
"""Before the id of a conversation that is to be deleted, in the name of a field that holds which state was shown."""


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """The forms of a conversation."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[Route]:
        """Where they are sent."""
        changes: dict[str, Handler] = {
            "rename": self.rename,
            "close": self.close,
            "reopen": self.reopen,
            "topic": self.set_topic,
            "fork": self.fork,
            "delete": self.delete,
        }
        asking = with_problems(self.templates, self.ask_to_delete, ("forks",))
        made = [
            Route(f"/sessions/{{session}}/{name}", with_problems(self.templates, change, takes), methods=["POST"])
            for name, change in changes.items()
            for takes in (("forks",) if name == "delete" else PRIVATE,)
        ]
        return [Route("/sessions/{session}/delete", asking, methods=["GET"]), *made]

    @property
    def _life(self) -> SessionLife:
        return self.memory.services.life

    async def rename(self, request: Request) -> Response:
        """Give it another topic."""
        made = await self._life.rename(_name(request), (await fields_of(request)).get("topic", ""))
        return _back(request, made.id)

    async def close(self, request: Request) -> Response:
        """Close it."""
        return _back(request, (await self._life.close(_name(request))).id)

    async def reopen(self, request: Request) -> Response:
        """Open it again, and go on."""
        return _to(chat_url((await self._life.reopen(_name(request))).id))

    async def set_topic(self, request: Request) -> Response:
        """Say what became of its topic.

        Raises:
            InvalidParams: a topic cannot stand so.
        """
        status = (await fields_of(request)).get("status", "")
        if status not in _TOPIC_STATUSES:
            raise InvalidParams(f"a topic is one of: {', '.join(_TOPIC_STATUSES)}")
        return _back(request, (await self._life.set_topic(_name(request), status)).id)

    async def fork(self, request: Request) -> Response:
        """Go on from a turn of it in a new one."""
        fields = await fields_of(request)
        made = await self._life.fork(
            _name(request), at=fields.get("at") or None, topic=fields.get("topic", "").strip() or None
        )
        return _to(chat_url(made.id))

    async def ask_to_delete(self, request: Request) -> Response:
        """Show what a deletion would take away."""
        with_forks = is_set(request.query_params, "forks")
        going = await self._life.delete(_name(request), with_forks=with_forks, dry_run=True)
        return self.templates.page(request, "delete.html", going=going, shown=_SHOWN, with_forks=with_forks)

    async def delete(self, request: Request) -> Response:
        """Delete what was shown.

        Raises:
            SessionConflict: something came to it since it was shown; nothing was deleted.
        """
        await self._life.delete_as_shown(Deletion(sessions=(), turns=0, revisions=_revisions(await fields_of(request))))
        return _to("/sessions")


def _revisions(fields: Mapping[str, str]) -> Mapping[str, int]:
    """Return which state of each conversation was shown, as the form holds it.

    Raises:
        InvalidParams: the form holds nothing to delete, or what is no state.
    """
    shown = {name.removeprefix(_SHOWN): said for name, said in fields.items() if name.startswith(_SHOWN)}
    if not shown or not all(said.isascii() and said.isdecimal() and len(said) < 19 for said in shown.values()):
        raise InvalidParams("the form does not say what to delete; open it again from the session")
    return {session_id: int(said) for session_id, said in shown.items()}


def _name(request: Request) -> str:
    return str(request.path_params["session"])


def _back(request: Request, session_id: str) -> Response:
    """Lead back to the session, with private turns shown where they were."""
    return _to(session_url(session_id, private=is_set(request.query_params, "private")))


def _to(url: str) -> Response:
    return RedirectResponse(url, 303)
