"""One sentence of a note, as a person finds and confirms it in a terminal; `voice correct` and `voice forget` share it.

Law: the sentence is shown in its note before anything is done to it, and a person says so at the terminal; without one
`--yes` says it. Where several are meant, each is shown with its id and with what to type. Of a private note nothing is
shown but the sentence that was named.

Source: ruling I9; promise 6.
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from voice.core.errors import InvalidParams
from voice.core.records import Thought
from voice.core.text.display import trim_context, truncate
from voice.entrypoints.cli.printing import day_of, printable
from voice.entrypoints.cli.runtime import run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.thoughts.sentence_edits import SentenceMatch, TextRow

_SHOWN_CHARS = 300
_AROUND_CHARS = 160
_WORDS_CHARS = 60
_MOST_SHOWN = 12


def is_asked() -> bool:
    """Return whether somebody is there to answer."""
    return sys.stdin.isatty()


def find_one(
    ctx: click.Context, words: str, within: Sequence[str], *, name_it: str, past: bool = False
) -> "SentenceMatch":
    """Return the one sentence that holds the words; of several the one that somebody chooses.

    Args:
        ctx: the command's context.
        words: what is looked for.
        within: ids of rows, or their beginnings, in which alone it is looked for.
        name_it: the option that names a row.
        past: whether what was said before is looked through, too.

    Raises:
        InvalidParams: none holds them, or several do and nobody is there to choose.
    """

    async def look(services: "Services") -> "list[tuple[SentenceMatch, str]]":
        from voice.wiring.rewording import rewording_of

        found = await rewording_of(services).find(words, await services.resolve_ids(within), past=past)
        return [(each, await _label(services, each)) for each in found]

    found = run(ctx, look)
    if not found:
        said = truncate(printable(words), _WORDS_CHARS)
        nowhere = f"{', '.join(within)} does not say" if within else "no note says"
        raise InvalidParams(f"{nowhere} {said!r}; search for similar words with `voice retrieve`, which shows ids")
    if len(found) == 1:
        told, label = found[0]
    else:
        told, label = _chosen(found, name_it)
    click.echo(label, err=True)
    click.echo(f"    {_in_note(told)}", err=True)
    return told


def _chosen(found: "Sequence[tuple[SentenceMatch, str]]", name_it: str) -> "tuple[SentenceMatch, str]":
    for number, (told, label) in enumerate(found[:_MOST_SHOWN], start=1):
        click.echo(f"{number}  {label}\n    {truncate(printable(told.sentence), _SHOWN_CHARS)}", err=True)
    if len(found) > _MOST_SHOWN:
        click.echo(f"and {len(found) - _MOST_SHOWN:,} more", err=True)
    if not is_asked():
        ids = {told.row.id for told, _ in found}
        by_id = f"add {name_it} {found[0][0].row.id} (or another of these ids), or " if len(ids) > 1 else ""
        raise InvalidParams(f"{len(found):,} sentences match: {by_id}type more words of the sentence")
    most = min(len(found), _MOST_SHOWN)
    said = str(click.prompt(f"Which one (1-{most})", err=True)).strip()
    if not said.isdecimal() or not 0 < int(said) <= most:
        raise InvalidParams(f"{printable(said)!r} is none of them, so nothing was changed; choose 1 to {most}")
    return found[int(said) - 1]


async def _label(services: "Services", told: "SentenceMatch") -> str:
    row = told.row
    at = await services.source_locations.place(row, told.places[0][0]) if isinstance(row, Thought) else None
    place = f"  {printable(at.label_beside_date)}" if at and not row.is_private else ""
    return f"{row.id}  {day_of(row.created_at)}{place}{'  (private)' if row.is_private else ''}"


def _in_note(told: "SentenceMatch") -> str:
    """Return the sentence with what stands around it, where the note is not private."""
    from voice.core.graph.thoughts.sentence_edits import text_of

    text, (start, end) = text_of(told.row), told.sentences[0]
    said = f"«{text[start:end]}»"
    if told.row.is_private:
        return printable(said)
    begin, until = max(start - _AROUND_CHARS, 0), end + _AROUND_CHARS
    before, behind = trim_context(
        text[begin:start], text[end:until], is_more_before=begin > 0, is_more_behind=until < len(text)
    )
    return " ".join(printable(f"{before}{said}{behind}").split())


def which_sentence(row: "TextRow", said: str | None) -> tuple[int, int] | None:
    """Return where the sentence of a row stands that is meant; None: the whole row is.

    Args:
        row: what is to be changed.
        said: what `--sentence` says: a number from 1, or "all".

    Raises:
        InvalidParams: the row holds several and nobody says which, or it has no such sentence.
    """
    from voice.core.graph.thoughts.sentence_edits import sentences_of, text_of

    spans = sentences_of(text_of(row))
    if said == "all" or (said is None and len(spans) < 2):
        return None
    if said is None:
        for number, (start, end) in enumerate(spans, start=1):
            shown = truncate(printable(text_of(row)[start:end]), _SHOWN_CHARS)
            click.echo(f"{number}  {shown}", err=True)
        if not is_asked():
            raise InvalidParams(
                f"{row.id} has {len(spans):,} sentences: replace one with --sentence NUMBER, or all with --sentence all"
            )
        said = str(click.prompt(f"Which one (1-{len(spans)}, or all)", err=True)).strip()
        return which_sentence(row, said)
    if not said.isdecimal() or not 0 < int(said) <= len(spans):
        raise InvalidParams(f"{printable(said)!r} is no sentence of {row.id}; choose 1 to {len(spans):,}, or all")
    return spans[int(said) - 1]


def confirm(question: str, *, yes: bool, what: str) -> None:
    """Ask whether to go on.

    Args:
        question: what is asked.
        yes: whether it was answered on the command line.
        what: what is about to be done, for who cannot be asked.

    Raises:
        click.UsageError: nobody is there to answer.
        InvalidParams: it is not to be done.
    """
    if yes:
        return
    if not is_asked():
        raise click.UsageError(f"this {what}; preview it with --dry-run, then confirm with --yes")
    if not click.confirm(question, default=False, err=True):
        raise InvalidParams("nothing was changed")
