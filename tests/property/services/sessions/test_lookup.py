"""Whatever is asked, forked, folded, closed and deleted, each conversation reads as if every fork had been a copy.

Law: a fork keeps where it left and nothing of what was said before (`voice.core.session.lifecycle`).
"""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from store_values import NOON, exchange, session
from voice.adapters.surreal.opening import open_store
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.core.errors import InvalidParams
from voice.core.session.lifecycle import append
from voice.core.session.rolling_summary import fold
from voice.core.session.values import InnerVoiceSession
from voice.core.settings.values import SessionSettings
from voice.services.sessions.lifecycle import SessionLife
from voice.services.sessions.lookup import all_exchanges

_SETTINGS = SessionSettings(window_limit=4, window_keep=2)


class Copies(RuleBasedStateMachine):
    """Conversations of one store, and beside them the lists of answers that a naive store would have copied."""

    sessions = Bundle("sessions")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stores = self.runner.run(open_store("mem://", home=Path()))
        self.copies: dict[str, tuple[str, ...]] = {}
        self.owned: dict[str, set[str]] = {}
        """Of each conversation, those whose turns it reads, itself among them."""
        self.asked = self.gone = 0
        self.life = SessionLife(
            sessions=self.stores.sessions,
            removal=self.stores.removal,
            clock=FixedClock(NOON + timedelta(days=1)),
            ids=CountingIds(),
            count=len,
            settings=_SETTINGS,
            timezone="UTC",
            summary_tokens=200,
        )

    def teardown(self) -> None:
        self.runner.run(self.stores.aclose())
        self.runner.close()

    def held(self, name: str, window: int = 0) -> InnerVoiceSession:
        found = self.runner.run(self.stores.sessions.load(name, window=window))
        assert found is not None
        return found

    @initialize(target=sessions)
    def begin(self) -> str:
        return self.made()

    @rule(target=sessions)
    def new_thread(self) -> str:
        return self.made()

    def made(self) -> str:
        name = f"s:new{len(self.owned)}"
        self.runner.run(self.stores.sessions.save(session(name, revision=1), [], expected=0))
        self.copies[name], self.owned[name] = (), {name}
        return name

    @rule(name=sessions, count=st.integers(1, 3))
    def ask(self, name: str, count: int) -> None:
        for _ in range(count):
            held = self.held(name)
            answer = f"Answer {self.asked}."
            turn = exchange(name, held.total_exchanges, id=f"x:{self.asked}", answer=answer)
            self.runner.run(self.stores.sessions.save(append(held, turn), [turn], expected=held.revision))
            self.copies[name] = (*self.copies[name], answer)
            self.asked += 1

    @rule(name=sessions, keep=st.integers(1, 3))
    def fold_some(self, name: str, keep: int) -> None:
        held = self.held(name, window=1000)
        due = held.context_window[:-keep]
        folded = fold(held, due, now=NOON, count=len, max_tokens=50)
        if due:
            saved = replace(folded, revision=held.revision + 1)
            self.runner.run(self.stores.sessions.save(saved, [], expected=held.revision))

    @rule(
        target=sessions, name=sessions, place=st.floats(0, 1, exclude_max=True), named=st.sampled_from(["id", "number"])
    )
    def fork(self, name: str, place: float, named: str) -> "str | MultipleResults[str]":
        told = self.copies[name]
        if not told:
            return multiple()
        index = int(place * len(told))
        before = self.runner.run(self.stores.memory.status())
        turns = self.runner.run(all_exchanges(self.stores.sessions, name))
        made = self.runner.run(self.life.fork(name, at=turns[index].id if named == "id" else index + 1))
        after = self.runner.run(self.stores.memory.status())
        assert (after.exchanges, after.sessions) == (before.exchanges, before.sessions + 1)
        assert self.runner.run(self.life.diff(name, made.id)).shared == index + 1
        self.copies[made.id] = told[: index + 1]
        self.owned[made.id] = {made.id, *(each.session_id for each in turns[: index + 1])}
        return made.id

    @rule(name=sessions)
    def close_and_reopen(self, name: str) -> None:
        self.runner.run(self.life.change(name, status="closed"))
        assert self.runner.run(self.life.change(name, status="open")).status == "open"

    @rule(name=consumes(sessions))
    def delete(self, name: str) -> None:
        sharing = {each for each, owners in self.owned.items() if name in owners and each in self.copies} - {name}
        own = sum(each.session_id == name for each in self.runner.run(all_exchanges(self.stores.sessions, name)))
        if sharing:
            with pytest.raises(InvalidParams, match="only delete them together"):
                self.runner.run(self.life.delete(name))
            return  # it is drawn no more, and still has to read as it did
        assert self.runner.run(self.life.delete(name)).turns == own
        del self.copies[name]
        self.gone += own

    @invariant()
    def every_conversation_reads_as_its_copy(self) -> None:
        for name, copy in self.copies.items():
            told = self.runner.run(all_exchanges(self.stores.sessions, name))
            assert tuple(each.answer for each in told) == copy
            assert [each.index for each in told] == list(range(len(copy)))
            held = self.held(name, window=1000)
            folded = -1 if held.rolling_summary is None else held.rolling_summary.through_index
            assert folded < len(copy)
            assert tuple(each.answer for each in held.context_window) == copy[folded + 1 :]
            assert held.total_exchanges == len(copy)

    @invariant()
    def nothing_else_is_kept(self) -> None:
        turns = self.runner.run(self.stores.sessions.exchanges(limit=10_000))
        assert (len(turns), sum(each.deleted for each in turns)) == (self.asked, self.gone)
        assert {each.id for each in self.runner.run(self.life.listed(limit=1000))} == self.copies.keys()
        assert self.runner.run(self.stores.maintenance.verify()) == []


_SEARCHED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
TestCopies = pytest.mark.slow(pytest.mark.requirement("sessions:fork")(Copies.TestCase))
TestCopies.settings = settings(_SEARCHED, max_examples=8, stateful_step_count=15)
