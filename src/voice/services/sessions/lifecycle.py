"""Name, close, fork, compare and delete conversations.

Law: every change is a compare-and-set on what was loaded, made again on what it lost to: a turn that was asked
meanwhile stays, and so does the change. A fork copies nothing that was said. What is deleted is named before it goes,
forks and all, and goes at once. Whatever is told of a session is told without a topic that is withheld, unless private
ones are asked for or it was said (promise 6).

Source: rulings A6, D17, D21, H; docs/sessions.md.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, cast

from voice.core.errors import InvalidParams, SessionConflict, UnknownId
from voice.core.session.compare import SessionDiff, compare_sessions
from voice.core.session.lifecycle import PRIVATE_TOPIC, closed, fork_of, renamed, reopened, shared, shown_status
from voice.core.session.rolling_summary import fold, foldable
from voice.core.session.values import DialogueExchange, InnerVoiceSession, SessionStatus, TopicStatus
from voice.core.settings.values import SessionSettings
from voice.core.text.normalise import norm_v1
from voice.ports.removal import SessionRemoval
from voice.ports.stores import SessionListItem, SessionStore
from voice.ports.system import Clock, IdSource
from voice.services.sessions.lookup import (
    MAX_LISTED,
    TURN_PREFIX,
    all_exchanges,
    hide_private_topic,
    hide_private_topics,
    load_session,
    was_deleted,
)

StatusWanted = Literal["open", "closed", "expired", "all"]
TopicWanted = Literal["open", "resolved", "abandoned", "all"]
MOST_FOLDED: Final = 400
"""So many turns before a fork's window are folded when it needs a summary of its own; a summary holds fewer."""
_MOST_TRIES: Final = 20  # each is made anew on what was faster
_MOST_DIGITS: Final = 9  # digits of a turn's number that are read
_MOST_SAID: Final = 60  # characters of a turn's name that a message repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """The filter of a list of sessions."""

    status: StatusWanted = "all"
    topic_status: TopicWanted = "all"
    about: str = ""
    """In their topic, in any case; "" is in every one."""
    behind: Callable[[SessionListItem], bool] | None = None
    """Whether a session lies behind the place where the list goes on; None: it begins with the first one."""

    def admits(self, item: SessionListItem) -> bool:
        """Return whether a session, as it stands now, may be one of them; what it is about is asked apart."""
        stands = self.status in ("all", item.status) and self.topic_status in ("all", item.topic_status)
        return stands and (self.behind is None or self.behind(item))

    def is_about(self, item: SessionListItem) -> bool:
        """Return whether its topic, as it is shown, says what is looked for."""
        return norm_v1(self.about) in norm_v1(item.thread_topic)


ALL: Final = SessionFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """The extent of a deletion, made or foreseen."""

    sessions: tuple[SessionListItem, ...]
    """The session that was named, and its forks; none where it was deleted before."""
    turns: int
    """Turns that figures are left of, and nothing else."""
    needs_forks: str | None = None
    """Of a dry run: why it would be refused as it was asked for; its forks would have to go, too."""
    revisions: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)
    """Of each session, by its id, which state of it was looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLife:
    """The life of the sessions of one store."""

    sessions: SessionStore
    removal: SessionRemoval
    clock: Clock
    ids: IdSource
    count: Callable[[str], int] = field(repr=False)
    settings: SessionSettings
    timezone: str
    summary_tokens: int

    async def listed(
        self, *, limit: int, skip: int = 0, wanted: SessionFilter = ALL, include_private: bool = False
    ) -> list[SessionListItem]:
        """Return sessions, the most recent first, each with its status of now: one that was idle too long expired.
        Without `include_private` a withheld topic is found by the whole of it, or by what is shown in its place,
        whatever it says."""
        kept = "open" if wanted.status == "open" else "all"  # an expired one is stored as open
        found = await self.sessions.sessions(limit=skip + limit if wanted == ALL else MAX_LISTED, status=kept)
        shown = [item for item in (replace(each, status=self.shown(each)) for each in found) if wanted.admits(item)]
        if include_private:
            return list(filter(wanted.is_about, shown))[skip : skip + limit]
        if wanted.about:  # looked for in what is shown: else a part of what is withheld would be found
            maybe = [
                item for item in shown if any(map(wanted.is_about, (item, replace(item, thread_topic=PRIVATE_TOPIC))))
            ]
            return list(filter(wanted.is_about, await self._hide_topics(maybe, wanted.about)))[skip : skip + limit]
        return await self._hide_topics(shown[skip : skip + limit])

    async def _hide_topics(self, items: Iterable[SessionListItem], *said: str) -> list[SessionListItem]:
        return await hide_private_topics(self.sessions, items, said=said)

    def shown(self, of: SessionListItem | InnerVoiceSession) -> SessionStatus:
        """Return how a session stands now."""
        status = cast("SessionStatus", of.status)
        return shown_status(
            status, of.last_interaction, now=self.clock.now(), timeout_hours=self.settings.timeout_hours
        )

    async def show(self, name: str) -> tuple[InnerVoiceSession, list[DialogueExchange]]:
        """Return a session as it stands now, without its window, and all its turns, oldest first, withheld ones, too.
        Here and below `name` is an id, the start of one, or a topic. Raises UnknownId, InvalidParams: none or several
        are meant."""
        session = await self._load(name)
        return replace(session, status=self.shown(session)), await all_exchanges(self.sessions, session.id)

    async def named(self, name: str, *, include_private: bool = False) -> InnerVoiceSession:
        """Return a session as it stands now, without its turns."""
        session = await self._load(name)
        shown = replace(session, status=self.shown(session))
        return shown if include_private else await hide_private_topic(self.sessions, shown, said=(name,))

    async def _load(self, name: str) -> InnerVoiceSession:
        return await load_session(self.sessions, name, window=0, timezone=self.timezone)

    async def change(
        self,
        name: str,
        *,
        topic: str | None = None,
        topic_status: TopicStatus | None = None,
        status: Literal["open", "closed"] | None = None,
    ) -> InnerVoiceSession:
        """Rename a session, say what became of its topic, open or close it; what is said together is one save. Raises
        InvalidParams: nothing is left of the topic; SessionConflict: others were faster time and again; here and below.
        """
        now = self.clock.now()

        def changed(held: InnerVoiceSession) -> InnerVoiceSession:
            made = held if topic is None else renamed(held, topic=topic)
            made = made if topic_status is None else replace(made, topic_status=topic_status)
            if status == "closed":
                return closed(made)
            return reopened(made, now=now) if status == "open" and self.shown(held) != "open" else made

        return await hide_private_topic(self.sessions, await self._save_change(name, changed), said=(name, topic or ""))

    async def _save_change(
        self, name: str, change: Callable[[InnerVoiceSession], InnerVoiceSession]
    ) -> InnerVoiceSession:
        """Return the session after a change, which is made again on whatever it lost a race to."""
        held = await self._load(name)
        for _ in range(_MOST_TRIES):
            changed = change(held)
            if changed == held:
                return held
            try:
                return await self.sessions.save(
                    replace(changed, revision=held.revision + 1), [], expected=held.revision
                )
            except SessionConflict:
                held = await self._load(held.id)  # by id: the name may have changed
        raise SessionConflict(f"{held.id} kept changing, so nothing was changed here; try again")

    async def fork(self, name: str, *, at: int | str | None = None, topic: str | None = None) -> InnerVoiceSession:
        """Return a new session that begins with the turns of another one, up to `at`: a turn's number as it is shown,
        from 1, or its id; None is the newest. Raises InvalidParams: the session has no such turn, or nothing is left of
        the topic; SessionConflict: the session was deleted meanwhile."""
        held = await self._load(name)
        turn = await self._turn(held, at)
        made = fork_of(held, turn, session_id=self.ids.new_id("s"), topic=topic, now=self.clock.now())
        if held.rolling_summary is not None and made.rolling_summary is None:
            made = await self._with_summary(made, held.id, held.rolling_summary.revision)
        kept = await self.sessions.save(replace(made, context_window=(), revision=1), [], expected=0)
        return await hide_private_topic(self.sessions, kept, said=(topic or "",))

    async def _turn(self, session: InnerVoiceSession, at: int | str | None) -> DialogueExchange:
        index = session.total_exchanges - 1
        turn_id = at if isinstance(at, str) and at.startswith(TURN_PREFIX) else None
        if turn_id is not None:
            named = await self.sessions.exchanges(exchange_id=turn_id)
            index = named[0].index if named else -1  # -1: no turn has that id
        elif at is not None:
            index = _number(at) - 1
        is_there = 0 <= index < session.total_exchanges
        found = await self.sessions.exchanges(session_id=session.id, after_index=index - 1, limit=1) if is_there else []
        if not found or found[0].index != index or (turn_id is not None and found[0].id != turn_id):
            raise InvalidParams(_no_such_turn(session, at))
        return found[0]

    async def _with_summary(self, made: InnerVoiceSession, parent: str, revision: int) -> InnerVoiceSession:
        """Return a fork with a summary of its own turns, whose revision no prompt of a shared turn has."""
        how = self.settings
        first = max(0, made.total_exchanges - how.window_keep - MOST_FOLDED)  # a summary holds fewer
        turns = await all_exchanges(self.sessions, parent, after=first - 1, before=made.total_exchanges)
        whole = replace(made, context_window=tuple(turns))
        due = foldable(whole, window_limit=how.window_limit, window_keep=how.window_keep)
        folded = fold(
            whole, due, now=made.created_at, count=self.count, max_tokens=self.summary_tokens, timezone=self.timezone
        )
        summary = folded.rolling_summary
        if summary is None:
            return made
        return replace(made, rolling_summary=replace(summary, revision=revision + 1, from_index=first))

    async def diff(self, left: str, right: str, *, include_private: bool = False) -> SessionDiff:
        """Return what two sessions share, and then all their turns side by side."""
        one = await self._load(left)
        other = await self._load(right)
        common = shared(one, other)
        ours, theirs = [await all_exchanges(self.sessions, each.id, after=common - 1) for each in (one, other)]
        heads = [replace(each, status=self.shown(each)) for each in (one, other)]
        if not include_private:
            heads = await hide_private_topics(self.sessions, heads, said=(left, right))
        return compare_sessions(*heads, shared=common, turns=(ours, theirs))

    async def delete(self, name: str, *, with_forks: bool = False, dry_run: bool = False) -> Deletion:
        """Delete a session: what was said in it, what it rested on, and that it was there; figures are left of it. Once
        more, by its whole id, changes nothing. `with_forks`: the sessions that share turns which it holds go, too. A
        dry run says what would go. Raises InvalidParams: such sessions would have to go, too; the message names them;
        SessionConflict: one of them was asked, changed or forked meanwhile; nothing was deleted."""
        try:
            named = await self._load(name)
        except UnknownId:
            if await was_deleted(self.sessions, name):  # deleting again is no error
                return Deletion(sessions=(), turns=0)
            raise
        forks = await self._hide_topics(await self.removal.forks(named.id), name)
        needs_forks: str | None = None
        if forks and not with_forks:
            sharing = ", ".join(f"{fork.id} ({fork.thread_topic})" for fork in forks)
            needs_forks = f"forks share turns of {named.id}: {sharing}; you can only delete them together"
            if not dry_run:
                raise InvalidParams(needs_forks)
        going = [named, *[await self._load(fork.id) for fork in forks]]
        shown = Deletion(
            sessions=tuple(await self._hide_topics(map(self._item, going), name)),
            turns=sum(each.total_exchanges - each.own_from for each in going),  # shared turns are the parent's
            needs_forks=needs_forks,
            revisions={each.id: each.revision for each in going},
        )
        return shown if dry_run else await self.delete_as_shown(shown)

    async def delete_as_shown(self, shown: Deletion) -> Deletion:
        """Delete what a dry run showed. Raises SessionConflict: it was changed since; nothing was deleted."""
        if shown.revisions:
            await self.removal.delete(shown.revisions)
        return shown

    def _item(self, session: InnerVoiceSession) -> SessionListItem:
        return SessionListItem(
            id=session.id,
            thread_topic=session.thread_topic,
            status=self.shown(session),
            created_at=session.created_at,
            last_interaction=session.last_interaction,
            total_exchanges=session.total_exchanges,
            topic_status=session.topic_status,
            own_from=session.own_from,
            begun_by=session.begun_by,
        )


def _number(at: int | str) -> int:
    """Return the number of a turn, 0 where it is none; more digits than any number has are not read."""
    if isinstance(at, int):
        return at
    return int(at) if len(at) <= _MOST_DIGITS and at.isdecimal() else 0


def _no_such_turn(session: InnerVoiceSession, at: int | str | None) -> str:
    if not session.total_exchanges:
        return f"{session.id} has no turn yet, so there is nothing to fork"
    is_short = len(at) <= _MOST_SAID if isinstance(at, str) else at is not None and abs(at) < 10**_MOST_DIGITS
    named = f" {at}" if is_short else ""
    return f"{session.id} has no turn{named}; give a number from 1 to {session.total_exchanges}, or a turn's id"
