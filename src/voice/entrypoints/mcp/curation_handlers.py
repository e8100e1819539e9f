"""The handlers of the tools for single rows, for removal and for help.

Law: as of every tool: one service, and its answer; what is written counts as the program's (ruling H). Taking away is a
dry run until it is told otherwise, and only what a verified archive holds goes (ruling F). The words of private
thoughts show only when they are asked for.

Source: rulings J1, J2, A18, C10, F, G, H; promise 6; spec rag-organize 5; DESIGN 8 MCP.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple, cast

from voice.core import errors
from voice.core.errors import InvalidParams, UnknownId, VoiceError
from voice.core.graph.corrections import require_untrusted
from voice.core.graph.thoughts.vouching import NotedFilter, is_noted, is_wanted
from voice.core.messages.memory import shown_though
from voice.core.recall.params import UNSCOPED
from voice.core.recall.pins import PinRequest
from voice.core.recall.values import REDACTED_TEXT
from voice.core.records import Observation, Scope, Thought, table_of
from voice.core.render.recall import pin_json
from voice.core.retrieval.params import clamped
from voice.core.text.display import printable
from voice.core.text.instants import render_if_dated, render_instant
from voice.core.vouch import Vouch
from voice.entrypoints.mcp.client_replies import Say, with_progress
from voice.entrypoints.mcp.discovery import find_tool
from voice.entrypoints.mcp.question_handlers import RECALL_TOKENS, Call
from voice.entrypoints.mcp.tools import TOOLS, Tool
from voice.entrypoints.shared.removals import exported_json, finalised_json, marking_json, removals_json
from voice.entrypoints.shared.review import NumberedSentence, numbered_sentences
from voice.entrypoints.shared.rows import corrected_json
from voice.ports.removal import ArchiveFormat
from voice.requests import Parameter, filled, rows
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.row_dossier import Dossier
from voice.services.removal.archive_shelf import Progress
from voice.services.removal.archives import Archives, Exported
from voice.services.removal.removals import Finalised

_NOTES = 10  # notes of a page, if no limit is named
_MOST_NOTES = 100
_NAME = 60  # characters of a program's name, and of a sentence that is not halved
LEAST_TOKENS = 500
"""No smaller budget has room for a sentence with all that is said beside it."""
MOST_TOKENS = 20_000


async def get_row(call: Call) -> Mapping[str, object]:
    """Answer `get_row`. Raises UnknownId: there is no such row that may be seen."""
    asked, services = call.said.text("id") or "", call.memory.services
    scope = await services.pins.scoping(call.scope, Scope())  # of a scoped memory, a scope must be named
    row_id = await services.visible_ids.one(asked, include_private=call.lets_private_in, scope=scope)
    form = _row(await services.dossiers(row_id, include_private=call.lets_private_in))
    call.warn_of_instructions({row_id: str(form["text"])})
    return form


def _row(told: Dossier) -> Mapping[str, object]:
    row = told.row
    form: dict[str, object] = {
        "id": row.id,
        "table": str(table_of(row.id)),
        "text": REDACTED_TEXT if told.is_withheld else told.text,
        "created_at": render_if_dated(row.created_at),
        "recorded_at": render_instant(row.recorded_at),
        "origin": str(row.origin),
        "trust_tier": str(row.trust),
        "status": str(row.status),
        "private": told.is_private,
        "tags": [*row.tags],
        "rests_on": [
            {"thought": each.at.thought_id, "start": each.at.start, "end": each.at.end} for each in told.grounds
        ],
        "statements": [each.id for each in told.derived],
        "replaced_by": told.successor.id if told.successor else None,
        "replaced": [each.id for each in told.replaced],
        "pins": [each.pin.id for each in told.pins],
    }
    if isinstance(row, Observation) and row.context_path:
        form["context_path"] = [*row.context_path]
    if isinstance(row, Thought) and row.vouched is not None:
        form |= {"noted_by": row.noted_by, "vouch": str(row.vouched)}
    return form


async def correct(call: Call) -> Mapping[str, object]:
    """Answer `correct`. Raises InvalidParams: nothing is said instead, or the row holds a person's own words;
    UnknownId: it is not there, private or out of scope: which of them is nobody's to know; here and below."""
    asked, services = call.asked(rows.CORRECT), call.memory.services
    if not asked.keys() & {"text", "since", "until"}:  # a reason alone changes nothing
        raise InvalidParams("give text, since or until")
    asked["row_id"] = await _named_row(call)
    # A program corrects no words of a person, and learns nothing of private rows.
    own = CorrectRequest(row_id="", author=call.origin, spares_trusted=True, hides_private=True, noted_by=call.agent)
    dry_run = call.said.flag("dry_run") or False
    done = await services.correcting(filled(own, asked), dry_run=dry_run)
    if done.row_id.startswith("t:") and not dry_run:  # a thought's new words may name other things
        await services.extracting.arrived([done.row_id])
    return corrected_json(done, dry_run=dry_run)


async def _named_row(call: Call) -> str:
    """Return the row that is to be changed: of a scope where one is named, else wherever it is."""
    # An id means one row: without a scope, it may be in any.
    scope = Scope.ALL if call.said.scope() is None else call.scope
    return await call.memory.services.visible_ids.one(call.said.text("id") or "", include_private=False, scope=scope)


async def pin(call: Call) -> Mapping[str, object]:
    """Answer `pin`; one for `here` is of the scope of its row. Raises UnknownId: see `correct`."""
    said = call.said
    request = PinRequest(
        target_id=await _named_row(call),
        reason=said.text("reason") or "",
        expires_at=call.moment("until"),
        scope=None if said.scope() == UNSCOPED else said.scope(),  # `here` is for reading
        hides_private=True,
    )
    return pin_json(await call.memory.services.pins.pin(request), "active")


async def vouch_status(call: Call) -> Mapping[str, object]:
    """Answer `vouch_status`: how many notes there are of each state, and as many of those meant as fit (ruling J1).
    Raises InvalidParams: the place to continue from is not there; UnknownId: one of the notes is none that may be told
    of."""
    said, state, ids = call.said, call.said.text("state"), await call.ids()
    every = await call.memory.services.review.vouching.listed(  # all states: the counts below are of the whole memory
        NotedFilter(vouched=None, include_private=call.lets_private_in)
    )
    unknown = set(ids).difference(note.id for note in every.thoughts)
    if unknown:  # private notes too: they do not exist for this call
        raise UnknownId(f"no program noted {', '.join(map(repr, sorted(unknown)))}; without ids, notes are listed")
    where = NotedFilter(
        vouched=None if state is None else Vouch(state),
        noted_by=said.text("from"),
        since=call.moment("since"),
        include_private=call.lets_private_in,
    )
    meant = [each for each in every.thoughts if is_wanted(each, where) and (not ids or each.id in ids)]
    states = {str(each): sum(note.vouched is each and is_noted(note) for note in every.thoughts) for each in Vouch}
    return _fitted(call, meant, {"states": states, "total": len(meant)})


class _Shown(NamedTuple):
    """A sentence that waits, or none of its note."""

    note: Mapping[str, object]
    """What is told of the note beside its sentences."""
    sentence: NumberedSentence | None

    @property
    def place(self) -> str:
        return f"{self.note['id']}/{self.sentence.number if self.sentence else 1}"


def _fitted(call: Call, meant: Sequence[Thought], head: Mapping[str, object]) -> Mapping[str, object]:
    """Return a page that begins at the named place, with as many sentences as its budget has room for."""
    budget = _number(call, "token_budget", RECALL_TOKENS, (LEAST_TOKENS, MOST_TOKENS))  # the whole result (ruling J1)
    limit = _number(call, "limit", _NOTES, (1, _MOST_NOTES))
    first, number = _place(call, meant)
    beyond = [f"{each.id}/1" for each in meant[first + limit :][:1]]  # the note behind the page, for `next`
    units = [*islice(_units(meant[first : first + limit], number), budget)]  # each takes a token at least

    def told(count: int) -> dict[str, object]:
        left = [*(each.place for each in units[count:][:1]), *beyond, None]  # None: the end
        return {**head, "notes": _notes(units[:count]), "next": left[0]}

    def tokens(count: int) -> int:
        # Counts the warning too, as if every note read like instructions.
        return call.tokens(told(count), [shown_though(", ".join({str(each.note["id"]) for each in units[:count]}))])

    # Even one sentence is too much: cut it until it fits.
    while units and tokens(1) > budget and units[0] != (shorter := _halved(units[0])):
        units[0] = shorter
    # More units take more tokens, so the most that fit are found by halving.
    count = bisect_right(range(1, len(units) + 1), budget, key=tokens)
    call.warn_of_instructions({each.place: each.sentence.text for each in units[:count] if each.sentence})
    return told(count)


def _number(call: Call, name: str, default: int, bounds: tuple[int, int]) -> int:
    wanted = call.said.integer(name)
    return default if wanted is None else clamped(name, wanted, bounds, call.warnings.append)


def _place(call: Call, meant: Sequence[Thought]) -> tuple[int, int]:
    """Return the note, by its place among those meant, and the number of its sentence to begin with."""
    after = call.said.text("after")
    if after is None:
        return 0, 1
    note_id, _, number = after.rpartition("/")  # no id of a thought has a slash
    place = next((at for at, each in enumerate(meant) if each.id == note_id), None)
    if place is None or not re.fullmatch("[0-9]{1,9}", number):  # "t:1/x"; nine digits are more than any note has
        raise InvalidParams("after must be the next of a page, and its note is not listed now; leave it out")
    return place, int(number)


def _units(notes: Iterable[Thought], number: int) -> Iterator[_Shown]:
    """Yield the sentences of notes that wait, of the first note from the one with the number on."""
    for at, note in enumerate(notes):
        every = numbered_sentences(note)
        waiting = [each for each in every if note.vouched is not Vouch.DECLINED and not each.counts]
        told = {
            "id": note.id,
            "state": str(note.vouched),
            "noted_by": note.noted_by and printable(note.noted_by)[:_NAME],
            "noted_at": render_instant(note.recorded_at),
            "approved": sum(each.counts for each in every),
            "waiting": len(waiting),
        }
        yield from (_Shown(told, each) for each in waiting if at or each.number >= number)  # of later notes, all
        if not waiting:  # a note is told of, even if no sentence waits
            yield _Shown(told, None)


def _notes(shown: Sequence[_Shown]) -> list[Mapping[str, object]]:
    found: dict[object, list[Mapping[str, object]]] = {}
    for note, sentence in shown:
        said = found.setdefault(note["id"], [])  # a note whose page begins in its middle is told of once
        if sentence is not None:
            unfound = {"unfound": [*sentence.unfound]} if sentence.unfound else {}
            said.append({"number": sentence.number, "text": sentence.text, **unfound})
    notes = {note["id"]: note for note, _ in shown}
    return [{**notes[each], "sentences": said} for each, said in found.items()]


def _halved(shown: _Shown) -> _Shown:
    """Return half a sentence, where a whole one has no room."""
    note, sentence = shown
    if sentence is None or len(sentence.text) < _NAME:
        return shown
    # What was not found may be named in the half that is gone.
    return _Shown(note, sentence._replace(text=f"{sentence.text[: len(sentence.text) // 2]}…", unfound=()))


_MOST_STEPS = 100  # steps told of one thing, at most


async def maintain(call: Call) -> Mapping[str, object]:
    """Mark, list, archive or take away thoughts. Raises InvalidParams: no id to mark, or a person's own."""
    subcommand = call.said.text("subcommand") or ""
    return {"subcommand": subcommand, **await _run_subcommand(call, subcommand)}


async def _run_subcommand(call: Call, subcommand: str) -> Mapping[str, object]:
    ids, dry_run, zone = await call.ids(), call.said.flag("dry_run"), call.memory.settings.time.timezone
    match subcommand:
        case "list_removal_candidates":
            found = await _archiving(call).removals.listed(ids)
            return removals_json(found, zone, include_private=call.lets_private_in)
        case "export_removals":
            return exported_json(await _export(call, dry_run=dry_run or False), dry_run=dry_run or False)
        case "finalize_removal":  # only `dry_run: false`, said, takes away
            return finalised_json(await _finalise(call, apply=dry_run is False), zone)
        case _:
            return await _mark(call, subcommand)


def _archiving(call: Call) -> Archives:
    """Return what archives and removes, private thoughts only where they are asked for."""
    archiving = call.memory.services.archiving
    # The services are shared by all calls, so a copy is changed.
    return replace(archiving, removals=replace(archiving.removals, hides_private=not call.lets_private_in))


async def _export(call: Call, *, dry_run: bool) -> Exported:
    ids, form = await call.ids(), cast("ArchiveFormat | None", call.said.text("format"))
    export = _archiving(call).export
    return await with_progress(
        call.tell, lambda say: export(ids, form=form, dry_run=dry_run, progress=_counting(say, "reading archives"))
    )


async def _finalise(call: Call, *, apply: bool) -> Finalised:
    finalise, ids = _archiving(call).removals.finalise, await call.ids()
    return await with_progress(
        call.tell,
        lambda say: finalise(
            ids, apply=apply, progress=_counting(say, "reading archives"), taking=_counting(say, "removing")
        ),
    )


def _counting(say: Say, what: str) -> Progress:
    """Return what tells of steps; the first and the last of very many, and some between."""

    def told(done: int, total: int) -> None:
        if done in (0, total) or done % max(1, total // _MOST_STEPS) == 0:  # the ends are always told
            say(f"{what}, {done} of {total}")

    return told


async def _mark(call: Call, subcommand: str) -> Mapping[str, object]:
    removals, ids = call.memory.services.archiving.removals, await call.ids()
    if not ids:
        raise InvalidParams(f"{subcommand} needs ids: the thoughts, such as t:01jq…")
    if subcommand != "unmark":
        for row in (await call.memory.services.store.fetch(ids)).values():  # a program may not remove a person's words
            require_untrusted(row, "remove")
    act = removals.unmark if subcommand == "unmark" else removals.mark
    dry_run = call.said.flag("dry_run") or False
    return marking_json(await act(ids, dry_run=dry_run), dry_run=dry_run)


def explain(tool: str | None, form: str | None) -> Mapping[str, object]:
    """Answer `detailed_help`, which needs no memory, for one tool or all: in the form `compact` names and uses alone,
    in `full` everything; None is full for one tool. Raises InvalidParams: there is no such tool."""
    meant = None if tool is None else find_tool(tool)
    if tool is not None and meant is None:
        raise InvalidParams(f"unknown tool; choose one of {', '.join(each.name for each in TOOLS)}")
    shown = TOOLS if meant is None else (meant,)
    is_compact = form == "compact" or (form is None and meant is None)  # one tool asked for is shown whole
    if is_compact:
        return {"tools": [{"name": each.name, "about": each.about} for each in shown]}
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, VoiceError)]
    meanings = {each.code: (each.__doc__ or "").strip().splitlines()[0] for each in kinds}
    return {
        "tools": [_tool(each) for each in shown],
        "errors": [{"code": code, "means": means} for code, means in meanings.items()],
    }


def _tool(tool: Tool) -> Mapping[str, object]:
    parameters = [_parameter(each) for each in tool.parameters]
    return {"name": tool.name, "about": tool.about, "parameters": parameters, "example": dict(tool.example)}


def _parameter(parameter: Parameter) -> Mapping[str, object]:
    return {
        "name": parameter.name,
        "type": parameter.kind,
        "required": parameter.required,
        "about": parameter.about,
        "also": list(parameter.also),
        "choices": list(parameter.choices),
    }
