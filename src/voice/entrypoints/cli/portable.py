"""`voice sessions export` and `voice sessions import`.

Law: a conversation leaves only as far as it is not private, unless that is asked for; a file that comes in is believed
as far as it can be proven, and what cannot be found here is said.
"""

from typing import TYPE_CHECKING, Literal

import click

from voice.core.text.display import counted
from voice.entrypoints.cli.printing import json_text, note, print_json, printable, printable_block
from voice.entrypoints.cli.runtime import json_option, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.services.sessions.transcripts import Departure, Imported

_Form = Literal["json", "markdown"]
_MARKDOWN = (".md", ".markdown")


@click.command("export")
@click.argument("session")
@click.option("--out", "path", metavar="FILE", help="Write to a file that only you can read. Default: print it.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "markdown"]),
    help="What to write. Default: json, or markdown where FILE ends with .md.",
)
@click.option("--private", "include_private", is_flag=True, help="Include private turns.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.pass_context
def export(
    ctx: click.Context, session: str, path: str | None, form: _Form | None, include_private: bool, force: bool
) -> None:
    """Export one conversation as JSON, to import elsewhere, or as a transcript to read.

    SESSION is an id, the start of one, or a topic. Without --private, the JSON holds only the figures of a private
    turn, and the transcript leaves it out.

    \b
    Examples:
      voice sessions export "the kiln" --out kiln.json
      voice sessions export "the kiln" --out kiln.md
    """
    chosen = form or ("markdown" if path and path.lower().endswith(_MARKDOWN) else "json")

    async def leave(services: "Services") -> tuple["Departure", str]:
        departure = await services.transcripts.export(session, include_private=include_private)
        text = _written(departure, chosen, services.timezone, include_private)
        if path is not None:
            await services.transcripts.files.write(path, text, overwrite=force)
        return departure, text

    departure, text = run(ctx, leave)
    if departure.private_turns and not include_private:
        many = counted(departure.private_turns, "private turn")
        note(f"what was said in {many} is left out; --private lets it out")
    if path is None:
        click.echo(text, nl=False)
    else:
        note(f"{counted(len(departure.exchanges), 'turn')} written to {path}")


def _written(departure: "Departure", form: _Form, timezone: str, include_private: bool) -> str:
    if form == "json":
        return json_text(departure.document.members()) + "\n"
    from voice.core.render.answer_markdown import transcript_markdown

    text = transcript_markdown(
        departure.session, departure.exchanges, timezone=timezone, include_private=include_private
    )
    return printable_block(text)


@click.command("import")
@click.argument("file")
@click.option("--dry-run", is_flag=True, help="Read, check and compare; store nothing.")
@json_option
@click.pass_context
def import_(ctx: click.Context, file: str, dry_run: bool, as_json: bool) -> None:
    """Import a conversation that `voice sessions export` wrote. FILE is `-` for a pipe.

    The command checks the file's schema and its chain of hashes; if the file was changed, it refuses it and names the
    place. It overwrites nothing, and importing a file twice adds nothing. Its turns count as imported unless this store
    wrote them; `voice sessions audit` checks their answers against today's memory.

    \b
    Example: voice sessions import kiln.json --dry-run
    """
    done = run(ctx, lambda services: services.transcripts.bring_in(file, dry_run=dry_run), makes=not dry_run)
    _tell_beside(done, file)
    if as_json:
        print_json(
            {
                "session_id": done.session_id,
                "thread_topic": done.topic,
                "added": done.added,
                "already_known": done.known,
                "fuller_in_file": done.fuller,
                "not_in_file": done.further,
                "new_ids": done.new_ids,
                "undisclosed_turns": done.undisclosed,
                "missing_sources": done.missing_sources,
                "missing_turns": done.missing_turns,
                "written_here": done.is_own,
                "dry_run": dry_run,
            }
        )
        return
    click.echo(_in_words(done, dry_run))


def _in_words(done: "Imported", dry_run: bool) -> str:
    where = f"{done.session_id} ({printable(done.topic)})"
    if not done.added and done.fuller:
        lacking = "it" if done.known == 1 else counted(done.fuller, "private turn")
        return f"nothing added: {_all_of(done, where)} here already, {lacking} without what was said"
    if not done.added:
        return f"nothing new: {_all_of(done, where)} here already"
    added = f"{'would bring in ' if dry_run else ''}{counted(done.added, 'turn')} of {where}"
    return f"{added}; {done.known:,} {'was' if done.known == 1 else 'were'} here already" if done.known else added


def _all_of(done: "Imported", where: str) -> str:
    return f"the one turn of {where} is" if done.known == 1 else f"all {counted(done.known, 'turn')} of {where} are"


def _how_to_fill(done: "Imported", file: str) -> str:
    """Return how the words of private turns come in that an earlier file was without."""
    at_a_price = f", which also deletes {counted(done.further, 'turn')} not in the file" if done.further else ""
    turns = counted(done.fuller, "private turn")
    return (
        f"{turns} here without what was said, which {file} tells; what is stored is never changed: delete the "
        f"conversation (`voice sessions delete {done.session_id}`{at_a_price}) and import {file} again"
    )


def _tell_beside(done: "Imported", file: str) -> None:
    """Say on stderr what is not as it was where the conversation comes from, and what only the file tells."""
    if done.fuller:
        note(_how_to_fill(done, file))
    if done.new_ids:
        note(f"{counted(done.new_ids, 'id')} taken here already; new ones stand for them, in links, too")
    if done.undisclosed:
        note(f"{counted(done.undisclosed, 'turn')} without what was said")
    if done.missing_turns:
        note(f"{counted(done.missing_turns, 'turn')} that its prompts showed not in the file")
    if done.missing_sources:
        note(f"{counted(done.missing_sources, 'source')} of its answers not in this memory: those answers are unproven")
