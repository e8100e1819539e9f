"""`voice review`: what programs noted, and what of it counts.

Law: what a program notes counts for nothing before a person says so here or on the page (ruling J2). What is decided by
a filter is shown first and confirmed. Where the input is no terminal, each line is the answer for the next note.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from voice.core.errors import InvalidParams
from voice.core.records import Origin, RowStatus
from voice.core.text.display import counted, printable
from voice.core.vouch import Vouch
from voice.entrypoints.cli.memory import tell_unembedded
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.input import KeyReader, confirm
from voice.entrypoints.cli.terminal.printing import minute_of, note, print_first, print_result, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, flag, moment, option, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.thoughts.vouching import NotedFilter
    from voice.core.records import Thought
    from voice.services.graph.vouching import NotedPage, Vouched

_PREVIEWED = 20  # notes shown before a decision on all of them
_ANSWERS = "a all of it  1 3 these sentences  d decline  s skip  q quit"


@click.command(cls=JsonCommand)
@click.argument("ids", nargs=-1, metavar="[T:ID…]")
@option("--from noted_by", "Only notes of this program, such as codex.", "NAME")
@option("--since", 'Only notes from this time or later: "this week", 2026-03-05.', "WHEN")
@option("--until", "Only notes from before this time.", "WHEN")
@option("--text", "Only notes that contain these words.", "WORDS")
@option(
    "--state",
    "Only notes in this state.",
    type=click.Choice(["waiting", "approved", "partly", "declined", "all"]),
    default="waiting",
)
@option("--approve verdict", "Approve these notes, so that answers can cite them.", flag_value="approve")
@option("--decline verdict", "Decline these notes; searches no longer find them.", flag_value="decline")
@option("--sentence sentences", "Approve only this sentence.", "N", type=int, multiple=True)
@flag("--list lists", "List the notes, and decide nothing.")
@flag("--private include_private", "Include private notes.")
@flag("--dry-run", "Show what would happen, and change nothing.")
@flag("--yes", "Do not ask.")
def review(
    ids: tuple[str, ...],
    noted_by: str | None,
    since: str | None,
    until: str | None,
    text: str | None,
    state: str,
    verdict: str | None,
    sentences: tuple[int, ...],
    lists: bool,
    include_private: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Approve or decline what programs noted.

    You can approve whole notes or single sentences; answers cite only what you approve. Without --approve or --decline
    you see one note after the other and answer each.

    \b
    Examples:
      voice review
      voice review --from codex --since "this week" --approve
      voice review t:01jq… --approve --sentence 2
    """
    from voice.core.graph.thoughts.vouching import NotedFilter

    where = NotedFilter(
        vouched=None if state == "all" else Vouch(state),
        noted_by=noted_by,
        since=moment(since, "--since"),
        until=moment(until, "--until"),
        text=text,
        include_private=include_private,
    )
    if sentences and (verdict != "approve" or len(ids) != 1):  # numbers of sentences are those of one note
        raise click.UsageError("--sentence needs --approve and the id of a single note")
    if ids and (noted_by or since or until or text):  # ids are exact: a filter beside them would only hide a mistake
        raise click.UsageError("name notes by their ids, or select them with --from, --since, --until and --text")
    if verdict is not None:
        _tell(_decide(ids, where, verdict, sentences=sentences, dry_run=dry_run, yes=yes))
    elif lists or wants_json():
        _list(run(lambda services: _noted(services, ids, where)), where)
    else:
        _one_by_one(ids, where)


def _decide(
    ids: tuple[str, ...], where: "NotedFilter", deed: str, *, sentences: tuple[int, ...], dry_run: bool, yes: bool
) -> "Vouched":
    shown: list[str] = []  # by their ids: a note that came meanwhile waits
    if not ids:  # named ones need no preview
        page = run(lambda services: services.review.vouching.listed(where))
        if not page.thoughts:
            raise InvalidParams(_none_of(where))
        print_first(["\n".join(_lines(each)) for each in page.thoughts], _PREVIEWED)
        if not dry_run:
            confirm(f"{deed.capitalize()} {counted(len(page.thoughts), 'note')}", yes=yes, what=f"{deed}s all of them")
        shown = [each.id for each in page.thoughts]

    async def work(services: "Services") -> "Vouched":
        vouching, meant = services.review.vouching, shown or list(await services.resolve_ids(ids))
        if deed == "approve":
            return await vouching.approve(meant, sentences=sentences, dry_run=dry_run)
        return await vouching.decline(meant, dry_run=dry_run)

    return run(work)


async def _noted(services: "Services", ids: tuple[str, ...], where: "NotedFilter") -> "NotedPage":
    """Return the named notes in the order named, whatever their state, or without names those that a filter selects."""
    if not ids:
        return await services.review.vouching.listed(where)
    named = dict.fromkeys(await services.resolve_ids(ids))
    page = await services.review.vouching.listed(replace(where, vouched=None))
    found = {each.id: each for each in page.thoughts if each.id in named}
    if missing := [each for each in named if each not in found]:
        raise InvalidParams(
            f"no program noted {', '.join(missing)}, or it is private; --private includes private notes"
        )
    return replace(page, thoughts=tuple(found[each] for each in named), total=len(named))


def _one_by_one(ids: tuple[str, ...], where: "NotedFilter") -> None:

    async def work(services: "Services") -> None:
        page = await _noted(services, ids, where)
        if not page.thoughts:
            note(_none_of(where))
        keys = KeyReader()
        for place, each in enumerate(page.thoughts, start=1):
            click.echo("\n".join((f"{place} of {len(page.thoughts)}", *_lines(each))), err=True)
            if not await _ask_about(services, each, keys):
                return

    run(work)


async def _ask_about(services: "Services", thought: "Thought", keys: KeyReader) -> bool:
    """Ask what becomes of one note until that can be carried out; return whether to go on."""
    vouching = services.review.vouching
    while True:
        said = (await keys.answer(f"[{_ANSWERS}]")).lower()  # "A" is "a"
        numbers = said.replace(",", " ").split()
        try:
            if said in ("", "q", "s"):  # the end of the input quits, without a decision
                return said == "s"
            if said == "a":
                done = await vouching.approve([thought.id])
            elif said == "d":
                done = await vouching.decline([thought.id])
            # "1, 3": sentences; ten digits are more than any note has.
            elif all(each.isdecimal() and len(each) < 10 for each in numbers):
                done = await vouching.approve([thought.id], sentences=[*map(int, numbers)])
            else:
                note(f"the answers are: {_ANSWERS}")
                continue
        except InvalidParams as error:  # such as a sentence that is not there: ask again
            note(error.message)
            continue
        _tell(done)
        return True


def _none_of(where: "NotedFilter") -> str:
    """Return that no note is as asked for, and how to see more where there may be more."""
    if where == replace(where, noted_by=None, since=None, until=None, text=None):  # nothing was filtered
        if where.vouched is None:
            return "no program has noted anything yet"
        if where.vouched is Vouch.WAITING:
            return "no notes of programs wait for review"
    return "no note matches; `voice review --list --state all` lists what programs noted"


def _list(page: "NotedPage", where: "NotedFilter") -> None:
    if not (page.thoughts or wants_json()):
        note(_none_of(where))
    print_result(lambda: forms.review.notes_json(page), (line for each in page.thoughts for line in _lines(each)))


def _lines(thought: "Thought") -> list[str]:
    who = printable(thought.noted_by or "a program")
    if thought.source_ref is not None:  # captured in a session, not noted by a tool
        who += ", what its model said" if thought.origin is Origin.MODEL else ", what was typed there"
    state = f"{thought.vouched}, private" if thought.is_private else thought.vouched
    if thought.status is RowStatus.REMOVAL:
        state = f"{state}, marked for removal"
    lines = [f"{thought.id}  {who}, {minute_of(thought.recorded_at)}  [{state}]"]
    for each in forms.review.numbered_sentences(thought):
        lines.append(f"  {'✓' if each.counts else ' '} {each.number}. {printable(each.text)}")
        if each.unfound:
            lines.append(f"       ! the working tree did not contain: {printable(', '.join(each.unfound))}")
    return lines


def _tell_left_waiting(vouched: "Vouched") -> None:
    """Name the sentences that an approval of the whole leaves out, and how they are approved all the same."""
    for thought in vouched.thoughts:
        if thought.vouched not in (Vouch.WAITING, Vouch.PARTLY):
            continue
        for each in forms.review.numbered_sentences(thought):
            if each.unfound and not each.counts:
                named = printable(", ".join(each.unfound))
                note(
                    f"sentence {each.number} of {thought.id} names {named}, which the working tree did not "
                    f"contain; to approve it anyway: voice review {thought.id} --approve --sentence {each.number}"
                )


def _tell(vouched: "Vouched") -> None:
    tell_unembedded(vouched.unembedded, vouched.fault)
    _tell_left_waiting(vouched)
    would = "would be " if vouched.dry_run else ""
    lines = [f"{each.id} {would}{each.vouched}" for each in vouched.thoughts]
    if vouched.observations:
        count = counted(vouched.observations, "statement")
        lines.append(f"{count} {'could then be cited' if vouched.dry_run else 'can be cited now'}")
    print_result(lambda: forms.review.vouched_json(vouched), lines)
