"""The library for programs: `Voice`, one open memory.

Law: parse, call one service, hand the result back; the same services as behind every other door. What is written here
is the caller's own words: origin `human`, unless the program says that it logs.

    async with Voice.open(settings, home) as voice:
        await voice.remember("The kiln is in the shed.")
        turn = await voice.ask("Where is the kiln?")

Source: DESIGN 8 Library; rulings A8, H.
"""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from voice.adapters.system.config_file import CONFIG_NAME, read_config
from voice.adapters.system.data_directory import home_at
from voice.bootstrap import Parts, Services, open_services
from voice.core.grounding.values import Stance
from voice.core.organise import OrganiseResult
from voice.core.recall.capsules import NewSummary
from voice.core.recall.pins import PinRequest
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Origin, Scope
from voice.core.render.recall import render_recall
from voice.core.render.retrieval import render_explain, render_retrieve
from voice.core.report.values import Dimension, Report
from voice.core.retrieval.values import Order
from voice.core.session.turn_events import Event
from voice.core.settings.parse import parse_settings
from voice.core.settings.values import Settings
from voice.core.usage import PriceTable
from voice.entrypoints.library_options import (
    PinOptions,
    ask_request,
    checked,
    organise_request,
    recall_request,
    retrieve_request,
    said_of,
    takes,
    warned,
)
from voice.entrypoints.library_resources import Removals, Sessions, check
from voice.requests import filled, questions, rows
from voice.services.graph.correct import Corrected, CorrectRequest
from voice.services.memory.ingest_values import IngestReport, NewThought
from voice.services.recall.pins import PinView
from voice.services.runtime.turn import Turn


class Voice:
    """One open memory."""

    def __init__(self, services: Services, settings: Settings) -> None:
        """Wrap open services; programs use `Voice.open`."""
        self.services = services
        self.settings = settings

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings | None = None, home: Path | str | None = None, *, parts: Parts | None = None
    ) -> "AsyncGenerator[Voice]":
        """Open a memory, and close it at the end of the block.

        Args:
            settings: None means the environment of this process and the voice.toml of the home, read once.
            home: the data directory; None means the settings' own, or the platform's place for application data.
            parts: stand-ins for clock, ids, encoder or model.

        Raises:
            ConfigurationError: a setting cannot be used.
            StoreHeld: another process has the memory open and answers nobody.
        """
        chosen = settings or settings_from_environment(home)  # an argument stands for the environment
        async with open_services(chosen, _place(home or chosen.store.home), parts or Parts()) as services:
            yield cls(services, chosen)

    @property
    def sessions(self) -> Sessions:
        """The conversations it holds: to find, fork, compare, close, delete and prove."""
        return Sessions(self.services)

    @property
    def removals(self) -> Removals:
        """What is marked for removal: to list, archive, take away and bring back."""
        return Removals(self.services)

    async def remember(  # noqa: PLR0913 - what a thought is, fact by fact
        self,
        content: str,
        *,
        at: datetime | None = None,
        tags: Sequence[str] = (),
        is_private: bool = False,
        kind: str = "note",
        speaker: str | None = None,
        thread: str | None = None,
        logged: bool = False,
        scope: Scope | None = None,
        capsule: str | None = None,
    ) -> IngestReport:
        """Store a thought with what is distilled from it; a failing encoder loses nothing (ruling C17).

        Args:
            content: the thought itself.
            at: when it was; None is now.
            tags: its tags.
            is_private: whether it stays out wherever private rows are not asked for.
            kind: one word for what it is (`note`, `tool_call`, `file_diff`, …).
            speaker: who says it.
            thread: the conversation or notebook it belongs to.
            logged: whether the program logs it, rather than hands on a person's words.
            scope: where it belongs; None is nowhere.
            capsule: the id of an open capsule that it goes into, with that one's scope.

        Raises:
            InvalidParams: the text is empty or too long, the kind is no word, or scope and capsule are both given.
            UnknownId, CapsuleClosed: the capsule is not there, or closed.
        """
        said = {"content": content, "at": at, "tags": tags, "is_private": is_private, "kind": kind, "logged": logged}
        more = {"speaker": speaker, "thread": thread, "scope": scope, "capsule": capsule}
        # The words are the person's, unless the program says that it logs.
        own = NewThought(content="", origin=Origin.LOGGED if logged else Origin.HUMAN)
        thought = filled(own, said_of(rows.REMEMBER, {**said, **more}))
        placed = thought if capsule is None else await self.services.capsules.placed(thought, capsule)
        report = await self.services.ingest.remember([placed])
        # The thought is stored already; what fails here is told, not raised.
        await self.services.extracting.arrived(report.stored)
        return report

    async def correct(  # noqa: PLR0913 - what a correction is, fact by fact
        self,
        row_id: str,
        text: str | None = None,
        *,
        reason: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        target: str | None = None,
        dry_run: bool = False,
    ) -> Corrected:
        """Put other words in the place of a row; the old value stays, superseded, and what rests on it follows.

        Args:
            row_id: a thought, an observation, a relation or an entity.
            text: the new wording; of a relation or an entity its description. None changes its time or target alone.
            reason: why; kept with what was replaced.
            since: since when it is true; the old value was true until then. None: the old value was never true.
            until: from when on it is no longer true.
            target: where a relation points instead: an entity's id, name or alias.
            dry_run: change nothing, and say what would follow.

        Raises:
            UnknownId: there is no such row, or no entity of that name.
            InvalidParams: it cannot be corrected like that (ruling F).
        """
        said = {"row_id": row_id, "text": text, "reason": reason, "since": since, "until": until, "target": target}
        request = filled(CorrectRequest(row_id=""), said_of(rows.CORRECT, {**said, "dry_run": dry_run}))
        done = await self.services.correcting(request, dry_run=dry_run)
        if done.row_id.startswith("t:") and not dry_run:  # a thought's new words may name other things
            await self.services.extracting.arrived([done.row_id])
        return done

    async def pin(
        self,
        target: str,
        reason: str,
        *,
        lifetime: timedelta | None = None,
        scope: Scope | None = None,
        allow_private: bool = False,
    ) -> Pin:
        """Pin a row or a summary, so that `recall` and prompts show it first; pinning it again renews the pin.

        Args:
            target: the id of a row, or of a summary (`m:` and the id of its capsule or session).
            reason: why it matters.
            lifetime: how long; None is for ever.
            scope: where it counts: some of the target's own dimensions; None is the target's own scope.
            allow_private: whether a private target may be pinned.

        Raises:
            UnknownId: there is no such target.
            InvalidParams: it cannot be pinned like that (ruling G).
        """
        said = {"target": target, "reason": reason, "scope": scope, "allow_private": allow_private}
        checked(PinOptions, "pin", {**said, "lifetime": lifetime})  # their types alone: the values go on as they are
        request = PinRequest(
            target_id=target, reason=reason, lifetime=lifetime, scope=scope, allow_private=allow_private
        )
        return await self.services.pins.pin(request)

    async def unpin(self, named: str) -> list[str]:
        """Remove a pin by its id, or every pin of a target; return the ids of what was there."""
        return await self.services.pins.unpin(named)

    async def pins(
        self, *, scope: Scope = Scope.ALL, include_expired: bool = False, include_private: bool = False
    ) -> tuple[PinView, ...]:
        """Return the pins of a scope with their states, newest first."""
        listed = await self.services.pins.listed(
            scope=scope, include_expired=include_expired, include_private=include_private
        )
        return listed.pins

    async def open_capsule(self, intent: str, *, scope: Scope | None = None) -> Capsule:
        """Open a capsule: a piece of work that thoughts go into and that has one summary.

        Raises:
            InvalidParams: the intent is empty or too long.
        """
        return await self.services.capsules.open(intent, scope or Scope())

    async def close_capsule(self, capsule: str, summary: NewSummary | None = None) -> Capsule:
        """Close a capsule, with its summary if one is given; closing it again changes nothing.

        Raises:
            UnknownId: there is no such capsule, or no such row as the summary rests on.
            CapsuleClosed: it is closed, and a summary was given.
            SessionConflict: somebody else changed it meanwhile.
        """
        return await self.services.capsules.close(capsule, summary)

    async def ask(  # noqa: PLR0913 - the parameters of a question, by name
        self,
        question: str,
        *,
        session: str | None = None,
        new_topic: str | None = None,
        stance: Stance | Literal["synthesize", "challenge", "question"] = Stance.SYNTHESIZE,
        when: str | None = None,
        limit: int | None = None,
        order: Order | None = None,
        include_private: bool = False,
        include_tags: Sequence[str] = (),
        exclude_tags: Sequence[str] = (),
        scope: Scope | None = None,
        surroundings: Scope | None = None,
        idempotency_key: str | None = None,
        as_of: datetime | None = None,
    ) -> Turn:
        """Ask one question; without `session` or `new_topic` the most recent live session goes on, or a new one starts.

        With `as_of` it is answered from what the memory knew at that moment, in a session of its own. Under an
        `idempotency_key` the same call again returns the first one's turn, `replayed`. `scope` is as of `recall`.

        Raises:
            FeatureDisabled: the inner voice is switched off (ruling A8).
            SessionConflict: another turn was kept meanwhile; this one is kept behind it as `error.exchange_id`.
            VoiceError: whatever `voice.services.turn.ask.Ask` raises.
        """
        self.settings.gate.require()  # before anything is read
        said = {"question": question, "session": session, "new_topic": new_topic, "stance": stance, "when": when}
        more = {"limit": limit, "order": order, "include_private": include_private, "scope": scope, "as_of": as_of}
        more |= {"surroundings": surroundings}
        rest = {"include_tags": include_tags, "exclude_tags": exclude_tags, "idempotency_key": idempotency_key}
        return await self.services.ask(ask_request({**said, **more, **rest}))

    @takes(questions.ASK)
    async def stream(self, question: str, **options: object) -> AsyncGenerator[Event]:
        """Ask one question and yield what happens, up to the answer sentence by sentence, or the refusal.

            async with aclosing(voice.stream("Where is the kiln?")) as events:
                async for event in events:
                    match event:
                        case Sentence(shown=shown, rung=rung, spans=spans): ...
                        case Done(exchange=exchange): ...

        No word of a draft is in an event before the verdict on the whole of it; what is told of the answer is stored.
        Closing it early withdraws the question, as cancelling `ask` does.

        Args:
            question: the question.
            options: the parameters of `ask` by name, as listed below.

        Yields:
            `voice.core.session.turn_events` in their order, `Done` last; `voice.core.render.turn_json.event_json` makes
            JSON of them.

        Raises:
            FeatureDisabled, InvalidParams, SessionConflict, VoiceError: as `ask` does.
        """
        self.settings.gate.require()
        # Closed with the caller's loop: a question that is no longer heard is withdrawn at once.
        async with aclosing(self.services.stream(ask_request({**options, "question": question}))) as events:
            async for event in events:
                yield event

    @takes(questions.RETRIEVE)
    async def retrieve(self, query: str, **options: object) -> dict[str, Any]:
        """Return S0's answer, exactly (schema: schemas/retrieve.schema.json); Python warns of the rest.

        Args:
            query: what to look for.
            options: by name, as listed below.

        Raises:
            FeatureDisabled, InvalidParams, ScopeRequired, EmbedderUnavailable, RerankerUnavailable, StoreError.
        """
        self.settings.gate.require()
        return render_retrieve(warned(await self.services.find(retrieve_request(query, options))))

    @takes(questions.RETRIEVE)
    async def explain(self, query: str, **options: object) -> dict[str, Any]:
        """Return `retrieve` with the account of how the choice was made (schema: retrieve-explain.schema.json)."""
        self.settings.gate.require()
        return render_explain(await self.services.find(replace(retrieve_request(query, options), explain=True)))

    @takes(questions.RECALL)
    async def recall(self, query: str, **options: object) -> dict[str, Any]:
        """Return pins, the current summary and what was found (schema: schemas/recall.schema.json).

            found = await voice.recall("authentication bug", scope=Scope(repo_id="/home/ann/site"), token_budget=2_000)
            [one["entity"]["content"] for one in found["candidates"]]

        Args:
            query: what to look for; any string, an empty one finds nothing and returns the first two.
            options: by name, as listed below.

        Returns:
            `pins`, `currentSummary` (None where there is none), `candidates` and `provenance`, as docs/recall.md says.

        Raises:
            FeatureDisabled: the inner voice is switched off (ruling A8).
            InvalidParams, ScopeRequired, EmbedderUnavailable, RerankerUnavailable, StoreError: as `Recall` does.
        """
        self.settings.gate.require()
        return render_recall(await self.services.recall(recall_request(query, options)))

    async def organise(self, content: str, **options: object) -> OrganiseResult:
        """Answer in the words of the best notes, keep the answer, and stage what the notes name; see docs/organise.md.

            found = await voice.organise("who works at Kiln Co", stage_kg=True)
            found.synthesized_answer, found.pending_entities

        Args:
            content: the question.
            options: the parameters of `inner_voice` by name (`top_k`, `sim_thresh`, `stage_kg`, `confidence_min`,
                `max_nodes`, `max_edges`, `save`, `auto_mark_removal`), and ours (`scope`, `surroundings`,
                `include_private`, `dry_run`).

        Returns:
            The spec's members, and in `warnings` in what way it is less than was asked for;
            `voice.core.organise.render_organised` makes the tool's JSON of it.

        Raises:
            FeatureDisabled: the inner voice is switched off (ruling A8). InvalidParams, ScopeRequired,
            EmbedderUnavailable, StoreError: as `voice.services.turn.organise.Organise` does.
        """
        self.settings.gate.require()
        return await self.services.organise(organise_request(content, options))

    check = staticmethod(check)  # opens no memory

    async def report(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        by: Dimension = "session",
        prices: PriceTable | None = None,
        include_private: bool = False,
    ) -> Report:
        """Return what past turns used and how they were grounded, from where `since` begins to where `until` ends.

        `prices` reckons the turns anew; what is stored stays as it is. `include_private` tells withheld topics, too.

        Raises:
            InvalidParams: a phrase is not understood, or nothing lies between the two.
        """
        return await self.services.report(
            since=since, until=until, by=by, prices=prices, include_private=include_private
        )


def settings_from_environment(home: Path | str | None = None) -> Settings:
    """Return what this process's environment and the voice.toml of `home`, or of the usual place, say.

    Raises:
        ConfigurationError: a setting is wrong; every fault is told at once.
    """
    env = dict(os.environ)  # read once; no service sees the environment
    place = _place(home or env.get("VOICE_HOME"))
    return parse_settings({"store.home": str(place)}, env, read_config(place / CONFIG_NAME)).settings


def _place(named: Path | str | None) -> Path:
    return home_at(str(named) if named else None)
