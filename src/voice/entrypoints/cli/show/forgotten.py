"""What `voice forget` and `voice redact` reach, in a terminal.

Law: a person must know what goes: rows that go are shown with their first words, and whatever else loses something by
its id; of many the first. Of a private row no word is shown unless `--private` asks for it, though it goes like any
other; a topic that is withheld is veiled (promise 6).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from voice.core.text.display import counted, printable, truncate
from voice.entrypoints.cli.terminal.printing import day_of, note
from voice.entrypoints.shared import removals

if TYPE_CHECKING:
    from voice.services.removal.forget import ForgetReach

_SHOWN_ROWS = 20  # lines of a kind that are shown
_REPLACED = " that was corrected"


def reach_lines(reach: "ForgetReach", verb: str) -> Iterator[str]:
    """Yield what is reached, a line each; `verb` is what is, was or would be done with the rows."""
    rows = reach.rows
    if reach.is_empty:
        yield "already forgotten; nothing is left to delete" if reach.before else "nothing in this memory matches"
        return
    named = removals.names_of_removed_entities(reach)  # a relation that goes names its ends by these
    for row in rows.meant[:_SHOWN_ROWS]:
        yield f"{verb} {row.id}  {day_of(row.created_at)}  {removals.first_words(row, reach, named)}"
    if len(rows.meant) > _SHOWN_ROWS:
        yield f"{verb} {len(rows.meant) - _SHOWN_ROWS:,} more; --json lists all"
    if reached := removals.affected_counts(reach):
        yield f"  with it: {', '.join(reached)}"
        yield from _cut(list(_dependent_lines(reach, named)))
        for lines in _other_lines(reach):
            yield from _cut(lines)
    yield from still_said_lines(reach)
    if reach.private and verb.startswith("would "):  # only a preview: afterwards there is nothing to show
        yield f"  --private shows the words of {counted(len(reach.private), 'private entry', 'private entries')}"


def lines_along(reach: "ForgetReach") -> Iterator[str]:
    """Yield what goes with a sentence that was shown already: other rows with why, and how many turns."""
    if reach.exchanges:
        turns = "turn of a conversation" if len(reach.exchanges) == 1 else "turns of conversations"
        yield f"  with it: {len(reach.exchanges):,} {turns}"
    yield from _cut(list(_dependent_lines(reach, removals.names_of_removed_entities(reach))))


def _cut(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of one kind; of many the first."""
    for line in lines[:_SHOWN_ROWS]:
        yield f"    {line}"
    if len(lines) > _SHOWN_ROWS:
        yield f"    and {len(lines) - _SHOWN_ROWS:,} more; --json lists all"


def _dependent_lines(reach: "ForgetReach", named: Mapping[str, str]) -> Iterator[str]:
    """Yield each row that goes without having been meant, with why."""
    from voice.core.graph.consequences import dependent_rows

    for each in dependent_rows(reach.rows, reach.before):
        kind = f"{removals.row_kind(each.row)}{_REPLACED if each.row.superseded_by else ''}"
        said, why = removals.first_words(each.row, reach, named), removals.WHY_ALONG[each.tie].format(each.to)
        yield f"{each.row.id}  {kind}: {said}  ({why})"


def _other_lines(reach: "ForgetReach") -> Iterator[Sequence[str]]:
    """Yield what is reached beside the rows that go, kind by kind, each by its id and without a word of what goes."""
    yield [f"{row.id}  {removals.row_kind(row)} that stays" for row in reach.rows.changed]
    yield [
        f"{turn.id}  turn {turn.index + 1} of {turn.session_id}  {day_of(turn.timestamp)}" for turn in reach.exchanges
    ]
    yield [
        # A topic that is withheld is veiled in `topics`.
        f"{each.id}  session of {day_of(each.last_interaction)}: {truncate(printable(topic), removals.SHOWN_CHARS)}"
        for each in reach.sessions
        for topic in [reach.topics[each.id]]
    ]
    yield [
        *(f"{each}  pin" for each in reach.pins_removed),
        *(f"{pin.id}  pin that stays without its reason" for pin in reach.pins_changed),
    ]
    yield [f"{each.id}  capsule that stays" for each in reach.capsules]
    for kind, ids in reach.elsewhere.items():
        yield [f"{printable(each)}  {kind.removesuffix('s')}" for each in ids]  # "archives": "archive"
    yield [f"{stone.row_id}  archived entry" for stone in reach.taken]


def still_said_lines(reach: "ForgetReach") -> Iterator[str]:
    """Yield each row that stays and says it, too, with the words that it says; of many the first."""
    still = reach.rows.still_said
    for each in still[:_SHOWN_ROWS]:
        said = removals.words_still_said(each, is_private=each.row.id in reach.private)
        yield f"  still in: {each.row.id}  {printable(said)}"
    if len(still) > _SHOWN_ROWS:
        yield f"  still in {len(still) - _SHOWN_ROWS:,} more; --json lists all"


def tell_leftovers(reach: "ForgetReach", *, is_dry: bool, with_files: bool, compacted: bool) -> None:
    """Say what is left where: archives, files, the disk's old bytes, and rows that still say it."""
    for fault in reach.unread:
        note(f"{fault}; this command cannot reach what that archive holds")
    for path in reach.files:
        if with_files:
            note(f"{'would delete' if is_dry else 'deleted'} {path}")
        else:
            note(f"{path} still contains it; --files deletes such files")
    if not (is_dry or compacted or reach.is_empty):  # a compacted store has no old bytes
        note("the disk still holds the old bytes; to overwrite them, run `voice maintain compact`")
    if reach.rows.still_said and not is_dry:
        count = len(reach.rows.still_said)
        told = "1 entry still says it; forget it" if count == 1 else f"{count:,} entries still say it; forget them"
        note(f"{told} as well to delete all of it")
