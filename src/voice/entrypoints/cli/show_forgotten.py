"""What `voice forget` and `voice redact` reach, in a terminal.

Law: a person must know what goes: rows that go are shown with their first words, and whatever else loses something by
its id; of many the first. Of a private row that nobody named or described nothing is shown but words of what was meant,
where it stays and says them, too, and none where it goes along; a topic that is withheld is veiled (promise 6).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from voice.core.text.excerpts import beginning
from voice.entrypoints.cli.printing import day_of, note, printable

if TYPE_CHECKING:
    from voice.core.graph.reach import StillSaid
    from voice.core.records import Row
    from voice.services.forget import Reached

_SHOWN_CHARS = 60
_SHOWN_ROWS = 20
_AROUND_CHARS = 30
_REPLACED = " that was corrected"
_WHY = {
    "sentence": "a sentence of {}, which goes as a whole",
    "rests": "found only in {}",
    "earlier": "an earlier version of {}",
    "summary": "a summary of {}",
    "end": "starts or ends at {}",
    "same_words": "says the same as {}",
}
"""Why a row goes along, by `Tie`."""


def lines_of(found: "Reached", verb: str) -> Iterator[str]:
    """Yield what is reached, a line each.

    Args:
        found: what is reached.
        verb: what is, was or would be done with the rows.
    """
    from voice.core.records import Entity

    rows = found.rows
    if found.is_empty:
        yield "already forgotten; nothing is left to delete" if found.before else "nothing in this memory matches"
        return
    named = {
        row.id: row.name for row in rows.going if isinstance(row, Entity) and row.name and row.id not in found.private
    }
    for row in rows.meant[:_SHOWN_ROWS]:
        yield f"{verb} {row.id}  {day_of(row.created_at)}  {_begins(row, named)}"
    if len(rows.meant) > _SHOWN_ROWS:
        yield f"{verb} {len(rows.meant) - _SHOWN_ROWS:,} more; --json lists all"
    beside = (
        (len(rows.derived), "copy or derived entry", "copies or derived entries"),
        (len(rows.changed), "entry that stays but loses its link to it", "entries that stay but lose their link to it"),
        (len(found.exchanges), "turn of a conversation", "turns of conversations"),
        (len(found.sessions), "session's topic or summary", "sessions' topics or summaries"),
        (len(found.pins_removed) + len(found.pins_changed), "pin", "pins"),
        (len(found.capsules), "capsule", "capsules"),
        *((len(ids), kind.removesuffix("s"), kind) for kind, ids in found.elsewhere.items()),
        (len(found.taken), "archived entry that cannot come back", "archived entries that cannot come back"),
    )
    if reached := [f"{count:,} {one if count == 1 else many}" for count, one, many in beside if count]:
        yield f"  with it: {', '.join(reached)}"
        yield from _first(list(_going_along(found, named)))
        for lines in _beside(found):
            yield from _first(lines)
    yield from still_said(found)


def _first(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of one kind; of many the first."""
    for line in lines[:_SHOWN_ROWS]:
        yield f"    {line}"
    if len(lines) > _SHOWN_ROWS:
        yield f"    and {len(lines) - _SHOWN_ROWS:,} more; --json lists all"


def _going_along(found: "Reached", named: Mapping[str, str]) -> Iterator[str]:
    """Yield each row that goes without having been meant, with why."""
    from voice.core.graph.along import going_along

    for each in going_along(found.rows, found.before):
        kind = f"{kind_of(each.row)}{_REPLACED if each.row.superseded_by else ''}"
        words = "(private)" if each.row.id in found.private else _begins(each.row, named)
        yield f"{each.row.id}  {kind}: {words}  ({_WHY[each.tie].format(each.to)})"


def _beside(found: "Reached") -> Iterator[Sequence[str]]:
    """Yield what is reached beside the rows that go, kind by kind, each by its id and without a word of what goes."""
    yield [f"{row.id}  {kind_of(row)} that stays" for row in found.rows.changed]
    yield [
        f"{turn.id}  turn {turn.index + 1} of {turn.session_id}  {day_of(turn.timestamp)}" for turn in found.exchanges
    ]
    yield [
        f"{each.id}  session of {day_of(each.last_interaction)}: {beginning(printable(topic), _SHOWN_CHARS)}"
        for each in found.sessions
        for topic in [found.topics[each.id]]
    ]
    yield [
        *(f"{each}  pin" for each in found.pins_removed),
        *(f"{pin.id}  pin that stays without its reason" for pin in found.pins_changed),
    ]
    yield [f"{each.id}  capsule that stays" for each in found.capsules]
    for kind, ids in found.elsewhere.items():
        yield [f"{printable(each)}  {kind.removesuffix('s')}" for each in ids]
    yield [f"{stone.row_id}  archived entry" for stone in found.taken]


def kind_of(row: "Row") -> str:
    """Return what a row is: a thought, an observation, an entity or a relation."""
    return type(row).__name__.lower()


def still_said(found: "Reached") -> Iterator[str]:
    """Yield each row that stays and says it, too, with the words that it says; of many the first."""
    still = found.rows.still_said
    for each in still[:_SHOWN_ROWS]:
        yield f"  still in: {each.row.id}  {printable(_words_of(each, is_private=each.row.id in found.private))}"
    if len(still) > _SHOWN_ROWS:
        yield f"  still in {len(still) - _SHOWN_ROWS:,} more; --json lists all"


def _words_of(each: "StillSaid", *, is_private: bool) -> str:
    """Return the words that a row which stays says, too, and what stands around them, where that is not private."""
    from voice.core.graph.reach import said_by
    from voice.core.text.excerpts import surroundings

    said = said_by(each.row)
    words = beginning(said[each.start : each.end], _SHOWN_CHARS)
    if is_private:
        return f"«{words}» (private)" if words and each.is_meant else "(private)"
    begin, end = max(each.start - _AROUND_CHARS, 0), each.end + _AROUND_CHARS
    before, behind = surroundings(
        said[begin : each.start], said[each.end : end], is_more_before=begin > 0, is_more_behind=end < len(said)
    )
    return f"{before}«{words}»{behind}" if words else beginning(said, _SHOWN_CHARS)


def _begins(row: "Row", named: Mapping[str, str]) -> str:
    """Return a row's first words; of a relation between what and what it is, by name where that goes along."""
    from voice.core.graph.reach import said_by
    from voice.core.records import Relation, RowStatus

    said = said_by(row)
    if row.status is RowStatus.REDACTED and not said.strip():
        return "(redacted)"
    if isinstance(row, Relation) and not said:
        ends = [named.get(end, end) for end in (row.source_id, row.target_id)]
        said = f"{ends[0]} --{row.rel_type}--> {ends[1]}"
    return beginning(printable(said), _SHOWN_CHARS)


def tell_rest(found: "Reached", *, is_dry: bool, with_files: bool, compacted: bool) -> None:
    """Say what is left where: archives, files, the disk's old bytes, and rows that still say it."""
    for fault in found.unread:
        note(f"{fault}; this command cannot reach what that archive holds")
    for path in found.files:
        if with_files:
            note(f"{'would delete' if is_dry else 'deleted'} {path}")
        else:
            note(f"{path} still contains it; --files deletes such files")
    if not (is_dry or compacted or found.is_empty):
        note("the disk still holds the old bytes; to overwrite them, run `voice maintain compact`")
    if found.rows.still_said and not is_dry:
        count = len(found.rows.still_said)
        told = "1 entry still says it; forget it" if count == 1 else f"{count:,} entries still say it; forget them"
        note(f"{told}, too, if you want all of it gone")
