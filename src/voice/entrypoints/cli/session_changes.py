"""`voice sessions edit | fork | diff | delete | export | import`.

Law: each says what the conversation it changes has become; what cannot be undone is shown first and confirmed. Private
turns are exported only where that is asked for. An imported file is believed as far as it can be proven, and what
cannot be found here is said.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from voice.core.errors import InvalidParams
from voice.core.text.display import counted, printable, printable_block
from voice.entrypoints.cli.show.sessions import diff_lines, status_of
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.input import confirm_by_typing
from voice.entrypoints.cli.terminal.printing import json_text, note, print_json, print_result, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, flag, former, option, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.session.values import InnerVoiceSession, TopicStatus
    from voice.ports.stores import SessionListItem
    from voice.services.sessions.lifecycle import Deletion
    from voice.services.sessions.transcripts import Departure, Imported

_TOPIC_STATUS = click.Choice(["open", "resolved", "abandoned"])


@click.command(cls=JsonCommand)
@click.argument("session")
@option("--topic", "Give it this topic.", "TEXT")
@option("--status", "Close it, so that you can only read it, or reopen it.", type=click.Choice(["open", "closed"]))
@option("--topic-status", "Mark its topic; the conversation stays open or closed.", type=_TOPIC_STATUS)
def edit(
    session: str, topic: str | None, status: Literal["open", "closed"] | None, topic_status: "TopicStatus | None"
) -> None:
    """Change a conversation's topic or status.

    --status open reopens a conversation that was closed or idle too long; the next question continues it. SESSION is an
    id, the start of one, or a topic.

    \b
    Examples:
      voice sessions edit "the kiln" --topic "the kiln and its glazes"
      voice sessions edit "the kiln" --topic-status resolved --status closed
    """
    if topic is None and status is None and topic_status is None:
        raise click.UsageError("say what to change: --topic, --topic-status or --status")
    also: list[str] = []

    async def change(services: "Services") -> "InnerVoiceSession":
        from voice.services.sessions.lookup import namesakes

        made = await services.life.change(session, topic=topic, topic_status=topic_status, status=status)
        also.extend(await namesakes(services.sessions, made) if topic is not None else ())
        return made

    _change(change)
    if also:
        more = f" and {len(also) - 1:,} more" if len(also) > 1 else ""
        note(f"{also[0]}{more} has the same topic; name each by its id from now on")


def _former(name: str, now: str, *adds: click.Parameter, **said: object) -> click.Command:
    session = click.Argument(["session"])  # the old names took the session as an argument
    return former(edit, name, f"sessions edit SESSION {now}", keeps="as_json", adds=(session, *adds), **said)


FORMER = (
    _former("rename", "--topic TEXT", click.Argument(["topic"])),
    _former("close", "--status closed", status="closed"),
    _former("reopen", "--status open", status="open"),
    _former(
        "topic",
        "--topic-status STATUS",
        click.Option(["--status", "topic_status"], type=_TOPIC_STATUS, required=True, help="The status of the topic."),
    ),
)
"""The names of an earlier release."""


@click.command(cls=JsonCommand)
@click.argument("session")
@option("--at", "The last turn to share: its number, or its id. Default: the newest.", "TURN")
@option("--topic named", "The topic of the fork. Default: the same topic.", "TEXT")
def fork(session: str, at: str | None, named: str | None) -> None:
    """Start a new conversation from a turn of another.

    Both share the turns up to there; nothing is copied, and the other stays as it is. SESSION is an id, the start of
    one, or a topic. The next question continues the fork.

    \b
    Example: voice sessions fork "the kiln" --at 3 --topic "the kiln, electric"
    """
    _change(lambda services: services.life.fork(session, at=at, topic=named))


def _change(work: Callable[["Services"], Awaitable["InnerVoiceSession"]]) -> None:
    async def shown(services: "Services") -> "InnerVoiceSession":
        session = await work(services)
        return replace(session, status=services.life.shown(session), rolling_summary=None)

    session = run(shown)
    shared = counted(session.own_from, "turn")
    lineage = f", shares {shared} with {session.lineage[-1].session_id}" if session.lineage else ""
    told = f"{session.id}  {status_of(session)}{lineage}  {printable(session.thread_topic)}"
    print_result(lambda: forms.conversation.session_json(session), told)


@click.command(cls=JsonCommand)
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@flag("--private include_private", "Include the text of private turns.")
def diff(one: str, other: str, include_private: bool) -> None:
    """Compare two conversations, turn by turn.

    It first says how many turns they share. In similar answers, [-...-] marks what only A says and {+...+} what only B
    says. A and B are ids, starts of ids, or topics.

    \b
    Example: voice sessions diff "the kiln" "the kiln, electric"
    """
    comparison = run(lambda services: services.life.diff(one, other, include_private=include_private))
    print_result(
        lambda: forms.conversation.diff_json(comparison, include_private=include_private),
        diff_lines(comparison, include_private=include_private),
    )


@click.command(cls=JsonCommand)
@click.argument("session")
@flag("--with-forks", "Also delete the forks that share its turns.")
@flag("--dry-run", "Show what would go; delete nothing.")
@flag("--yes", "Do not ask.")
def delete(session: str, with_forks: bool, dry_run: bool, yes: bool) -> None:
    """Delete a conversation for good.

    Questions, answers, sources, summary, topic and all their hashes go in one step. Only figures stay (time, model,
    tokens, cost, outcome), so that reports and spending caps stay true. You confirm it first. SESSION is an id, the
    start of one, or a topic.

    \b
    Examples:
      voice sessions delete "the kiln" --dry-run
      voice sessions delete "the kiln" --yes
    """
    asks = not (yes or dry_run)  # a preview is not asked about

    async def go(services: "Services") -> "Deletion":
        shown = await services.life.delete(session, with_forks=with_forks, dry_run=True)
        is_kept = dry_run or asks or shown.needs_forks is not None
        return shown if is_kept else await services.life.delete_as_shown(shown)  # and nothing that came meanwhile

    deletion = run(go)
    if deletion.needs_forks is not None and not dry_run:  # told before anybody is asked to confirm
        raise InvalidParams(f"{deletion.needs_forks}: --with-forks")
    if asks and deletion.sessions:
        # What is deleted is what was shown, and nothing that came meanwhile.
        confirm_by_typing("delete", _deletion_lines(deletion.sessions, "this deletes"))
        shown = deletion
        deletion = run(lambda services: services.life.delete_as_shown(shown))
    if wants_json():
        print_json(forms.sessions.deletion_json(deletion, dry_run=dry_run))
        return
    if deletion.needs_forks is not None:
        note(f"{deletion.needs_forks}: --with-forks")
    if not deletion.sessions:  # also where another process was faster
        click.echo("it was deleted before; nothing is left to delete")
    for line in _deletion_lines(deletion.sessions, "would delete" if dry_run else "deleted"):
        click.echo(line)


def _deletion_lines(sessions: Sequence["SessionListItem"], verb: str) -> list[str]:
    return [
        f"{verb} {item.id}  {counted(item.total_exchanges, 'turn')}{', a fork' if item.is_fork else ''}"
        f"  {printable(item.thread_topic)}"
        for item in sessions
    ]


_Form = Literal["json", "markdown"]
_MARKDOWN = (".md", ".markdown")


@click.command("export")
@click.argument("session")
@option("--out path", "Write to a file that only you can read. Default: print it.", "FILE")
@option(
    "--format form",
    "The format. Default: json, or markdown if FILE ends with .md.",
    type=click.Choice(["json", "markdown"]),
)
@flag("--private include_private", "Include private turns.")
@flag("--force", "Replace an existing file.")
def export(session: str, path: str | None, form: _Form | None, include_private: bool, force: bool) -> None:
    """Export one conversation as JSON or as a transcript.

    You can import the JSON elsewhere. Without --private, it holds only the figures of a private turn, and the
    transcript leaves the turn out. SESSION is an id, the start of one, or a topic.

    \b
    Examples:
      voice sessions export "the kiln" --out kiln.json
      voice sessions export "the kiln" --out kiln.md
    """
    chosen = form or ("markdown" if path and path.lower().endswith(_MARKDOWN) else "json")  # ".MD", too

    async def leave(services: "Services") -> tuple["Departure", str]:
        departure = await services.transcripts.export(session, include_private=include_private)
        text = await _rendered(services, departure, chosen, include_private=include_private)
        if path is not None:
            await services.transcripts.files.write(path, text, overwrite=force)
        return departure, text

    departure, text = run(leave)
    if departure.private_turns and not include_private:
        many = counted(departure.private_turns, "private turn")
        note(f"the words of {many} are left out; --private includes them")
    if path is None:
        click.echo(text, nl=False)  # the text ends with its own line feed
    else:
        note(f"{counted(len(departure.exchanges), 'turn')} written to {path}")


async def _rendered(services: "Services", departure: "Departure", form: _Form, *, include_private: bool) -> str:
    if form == "json":
        return json_text(departure.document.members()) + "\n"
    from voice.core.render.conversation import transcript_markdown

    text = transcript_markdown(
        departure.session,
        departure.exchanges,
        timezone=services.timezone,
        include_private=include_private,
        replaced=await services.audit.today.replacements(departure.exchanges, include_private=include_private),
    )
    return printable_block(text)


@click.command("import", cls=JsonCommand)
@click.argument("file")
@flag("--dry-run", "Read, check and compare; store nothing.")
def import_(file: str, dry_run: bool) -> None:
    """Import a conversation that `voice sessions export` wrote. FILE is `-` for a pipe.

    The command checks the file's schema and its chain of hashes; if the file was changed, it refuses it and names the
    place. It overwrites nothing, and importing a file twice adds nothing. Its turns count as imported unless this store
    wrote them; `voice sessions audit` checks their answers against today's memory.

    \b
    Example: voice sessions import kiln.json --dry-run
    """
    result = run(lambda services: services.transcripts.bring_in(file, dry_run=dry_run), makes=not dry_run)
    _tell_notices(result, file)
    document = {
        "session_id": result.session_id,
        "thread_topic": result.topic,
        "added": result.added,
        "already_known": result.known,
        "fuller_in_file": result.fuller,
        "not_in_file": result.further,
        "new_ids": result.new_ids,
        "undisclosed_turns": result.undisclosed,
        "missing_sources": result.missing_sources,
        "missing_turns": result.missing_turns,
        "written_here": result.is_own,
        "dry_run": dry_run,
    }
    print_result(document, _import_line(result, dry_run))


def _import_line(result: "Imported", dry_run: bool) -> str:
    where = f"{result.session_id} ({printable(result.topic)})"
    if not result.added and result.fuller:  # known, but here without their words
        lacking = "it" if result.known == 1 else counted(result.fuller, "private turn")
        return f"nothing added: {_all_of(result, where)} already here, {lacking} without the words"
    if not result.added:
        return f"nothing new: {_all_of(result, where)} already here"
    added = f"{'would import ' if dry_run else ''}{counted(result.added, 'turn')} of {where}"
    return f"{added}; {result.known:,} {'was' if result.known == 1 else 'were'} already here" if result.known else added


def _all_of(result: "Imported", where: str) -> str:
    return f"the one turn of {where} is" if result.known == 1 else f"all {counted(result.known, 'turn')} of {where} are"


def _how_to_fill(result: "Imported", file: str) -> str:
    """Return how the words of private turns come in that an earlier file was without."""
    at_a_price = f", which also deletes {counted(result.further, 'turn')} not in the file" if result.further else ""
    turns = counted(result.fuller, "private turn")
    return (
        f"{turns} here without the words, which {file} has. Voice does not change stored turns: delete the "
        f"conversation (`voice sessions delete {result.session_id}`{at_a_price}) and import {file} again"
    )


def _tell_notices(result: "Imported", file: str) -> None:
    """Say on stderr what is not as it was where the conversation comes from, and what only the file tells."""
    if result.fuller:
        note(_how_to_fill(result, file))
    if result.new_ids:
        was = "was" if result.new_ids == 1 else "were"
        note(f"{counted(result.new_ids, 'id')} {was} already in use; voice gave new ids, also in links")
    if result.undisclosed:
        note(f"{counted(result.undisclosed, 'turn')} without the words")
    if result.missing_turns:
        note(f"{counted(result.missing_turns, 'turn')} that its prompts showed, missing in the file")
    if result.missing_sources:
        sources = counted(result.missing_sources, "source")
        note(f"this memory lacks {sources} of its answers: those answers are unproven")
