"""The state of a conversation: the memory, the session, the last answer.

Law: the last answer is that of the conversation one is in, also where it was given before this program was started.
What rests on private notes is shown only where private ones were asked for (promise 6).
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import click

from voice.core.text.display import counted, printable
from voice.entrypoints.cli.ask import Form, ask_with_locations, cited_locations, print_turn
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.runtime import root_context, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from voice.bootstrap import Services
    from voice.core.grounding.values import SourceCitation
    from voice.core.interchange.origin import Location
    from voice.core.session.values import DialogueExchange, InnerVoiceSession
    from voice.entrypoints.cli.chat.commands import CompletionWords
    from voice.services.runtime.turn import AskRequest, Turn

_BY_WORDS = "type words of the sentence, or an id that it shows, instead of a number"
_NOTHING_ASKED = "this conversation has no answer yet; ask a question first"
_RECALLED_SESSIONS = 20  # conversations whose questions are recalled
_RECALLED_TURNS = 50  # of each of these, the newest
_COMPLETED_SESSIONS = 100  # conversations that completion knows


@dataclass(slots=True, kw_only=True)
class Conversation:
    """What a person talks with, and in which conversation they are."""

    request: "AskRequest"
    form: Form | None = None
    turn: "Turn | None" = None
    """The last one that was asked here and now."""
    # When the last question began, to find what it left behind.
    _asked_at: datetime | None = field(default=None, init=False)

    @property
    def private(self) -> tuple[str, ...]:
        """The option that lets private rows in, where the conversation does."""
        return ("--private",) if self.request.include_private else ()

    def voice(self, *arguments: str) -> None:
        """Run a command of `voice` in the open memory; what it raises is raised."""
        root = root_context()
        assert isinstance(root.command, click.Group), "the root context is that of the program"
        command = root.command.get_command(root, arguments[0])
        assert command is not None, f"there is a command {arguments[0]}"
        with command.make_context(arguments[0], list(arguments[1:]), parent=root) as ctx:
            command.invoke(ctx)

    async def check(self, services: "Services") -> None:
        """Check what the conversation was begun with. Raises UnknownId, InvalidParams: no such session, or time."""
        now, when = services.clock.now(), self.request.when
        # Raises where the phrase is not understood.
        await services.find.time_of("", now=now, when=when, include_private=False)
        await self._session(services)

    def ask(self, question: str) -> None:
        """Ask, and print the answer."""
        turn, locations = run(lambda services: self._asked(services, question))
        self.turn = turn
        self.enter(turn.session.id, turn)
        print_turn(turn, self.form, locations)

    async def _asked(self, services: "Services", question: str) -> "tuple[Turn, Mapping[str, Location]]":
        self._asked_at = services.clock.now()
        return await ask_with_locations(services, replace(self.request, question=question))

    def enter(self, session_id: str, turn: "Turn | None" = None) -> None:
        """Go on in this conversation from now on."""
        self.request = replace(self.request, session_id=session_id, new_topic=None)
        self.turn = turn

    def begin(self, topic: str) -> None:
        """Begin a conversation with the next question."""
        self.request = replace(self.request, session_id=None, new_topic=topic)
        self.turn = None

    def go_on_after_withdrawal(self) -> None:
        """Go on in the conversation that a withdrawn question began, where it did begin one."""
        since, topic = self._asked_at, self.request.new_topic
        newest = run(lambda services: services.sessions.sessions(limit=1))
        # As another process may have begun one meanwhile.
        if topic is not None and since is not None and newest and newest[0].created_at >= since:
            self.enter(newest[0].id)

    def session(self) -> "InnerVoiceSession":
        """Return the conversation that the next question is asked in. Raises click.UsageError: none is begun."""
        found = self.session_now()
        if found is None:
            raise click.UsageError("this conversation has no question yet; ask one first")
        return found

    def session_now(self) -> "InnerVoiceSession | None":
        """Return the conversation that the next question is asked in; None: it begins one."""
        return run(self._session)

    async def _session(self, services: "Services") -> "InnerVoiceSession | None":
        from voice.services.sessions.lookup import most_recent

        name, life = self.request.session_id, services.life
        if name is None and self.request.new_topic is None:  # as asking does, so that both mean the same one
            hours = life.settings.timeout_hours
            name = await most_recent(services.sessions, now=services.clock.now(), timeout_hours=hours)
        if name is None:
            return None
        found = await life.named(name, include_private=self.request.include_private)
        # One that went idle meanwhile is not continued unasked.
        is_left = self.request.session_id is None and found.status != "open"
        return None if is_left else found

    def last(self) -> "DialogueExchange":
        """Return the last turn of this conversation. Raises click.UsageError: there is none, or it is private."""
        exchange = run(self._last)
        if exchange is None:
            raise click.UsageError(_NOTHING_ASKED)
        if exchange.is_withheld and not self.request.include_private:
            raise click.UsageError("the last answer uses private notes; `voice chat --private` shows them")
        return exchange

    async def _last(self, services: "Services") -> "DialogueExchange | None":
        session = await self._session(services)
        if session is None or not session.total_exchanges:
            return None
        before = session.total_exchanges - 2  # the last one alone: its index is one less than their number
        found = await services.sessions.exchanges(session_id=session.id, after_index=before, limit=1)
        return found[0] if found else None

    def source(self, number: str) -> "SourceCitation":
        """Return the first of `cited`."""
        return self.cited(number)[0]

    def row(self, number: str) -> str:
        """Return the id of the one row of `cited`. Raises click.UsageError: it has several."""
        ids = list(dict.fromkeys(each.source_id for each in self.cited(number)))
        if len(ids) > 1:
            raise click.UsageError(f"passage {number} has {len(ids)} lines: {', '.join(ids)}; name one by its id")
        return ids[0]

    def cited(self, number: str) -> "tuple[SourceCitation, ...]":
        """Return what has a number under the last answer or refusal. Raises click.UsageError: nothing has that one."""
        exchange = self.last()
        rows, asked = self._numbered(exchange), printable(exchange.my_query)
        if not rows:
            refused = f"the last question, “{asked}”, was refused without numbered sources; {_BY_WORDS}"
            raise click.UsageError(refused if exchange.refused else "the last answer has no sources")
        if not number.isdecimal() or not 0 < int(number[:9]) <= len(rows):  # nine digits are enough to be too many
            shown, what = ("refusal shows", "passage") if exchange.refused else ("answer has", "source")
            few = "choose 1" if len(rows) == 1 else f"choose 1 to {len(rows):,}"
            raise click.UsageError(f"the last {shown} {counted(len(rows), what)}; {few}")
        return rows[int(number) - 1]

    def _numbered(self, exchange: "DialogueExchange") -> "tuple[tuple[SourceCitation, ...], ...]":
        """Return what a turn shows under numbers: an answer its sources, a refusal the closest passages."""
        if not exchange.refused:
            return forms.answer.sources_by_row(exchange.sources)
        locations = run(lambda services: cited_locations(services, exchange))
        return forms.answer.closest_passages(exchange, {row_id: at.label for row_id, at in locations.items()})

    async def questions(self, services: "Services") -> list[str]:
        """Return what was asked before, the oldest first, as it can be recalled."""
        found: list[DialogueExchange] = []
        for item in await services.sessions.sessions(limit=_RECALLED_SESSIONS):
            before = item.total_exchanges - _RECALLED_TURNS - 1  # after_index is exclusive, so -1 reads from the first
            found += await services.sessions.exchanges(
                session_id=item.id, after_index=max(before, -1), limit=_RECALLED_TURNS
            )
        is_private = self.request.include_private
        shown = (each for each in found if each.my_query and (is_private or not each.is_withheld))
        in_order = sorted(shown, key=lambda each: (each.timestamp, each.id))
        # Each once, where it was asked last.
        return list(dict.fromkeys(each.my_query for each in reversed(in_order)))[::-1]

    async def words(self, services: "Services") -> "CompletionWords":
        """Return what completion knows of the memory."""
        from voice.entrypoints.cli.chat.commands import CompletionWords

        is_private = self.request.include_private
        sessions = await services.life.listed(limit=_COMPLETED_SESSIONS, include_private=is_private)
        entities = await services.browse.entities(include_private=is_private)
        return CompletionWords(
            sessions=tuple((each.id, each.thread_topic) for each in sessions),
            names=tuple(each.name for each in entities),
        )
