"""`voice remember` and `voice export`.

Law: what comes in here is the person's own (origin `human`, ruling H), and it is stored whatever becomes of its vector
(ruling C17).
"""

import shlex
from typing import TYPE_CHECKING

import click

from voice.core.settings.values import Settings
from voice.core.text.display import counted, printable
from voice.entrypoints.cli.terminal.printing import note, print_json, print_result, wants_json
from voice.entrypoints.cli.terminal.request_options import options_said, request_options
from voice.entrypoints.cli.terminal.runtime import JsonCommand, cli_origin, flag, load_settings, run, stdin_text
from voice.entrypoints.shared.notes import (
    LIKE_INSTRUCTIONS,
    citable_in_words,
    distilled_sentences,
    quarantined_sentences,
    reads_like_instructions,
    remembered_json,
)
from voice.requests import filled, rows
from voice.wiring.data_directory import lacks_reranker

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.services.graph.extraction import Arrived
    from voice.services.graph.staging import Staged
    from voice.services.memory.ingest_values import IngestReport

_EXIT_NOTHING = 1  # forgotten before: a script must not take it for stored


def tell_unembedded(rows: int, fault: str | None) -> None:
    """Say on stderr that rows were kept without their vectors, if so (ruling C17)."""
    if rows:
        why = f" ({fault})" if fault else ""  # why the encoder failed, where that is known
        told = f"stored {counted(rows, 'record')} without a vector{why}"
        which = f"only {'its' if rows == 1 else 'their'} words can be searched"
        note(f"{told}, so {which}; once you have fixed that, run `voice maintain rebuild vectors`")


def tell_waiting(staged: "Staged | None", width: int = 8) -> None:
    """Print how many links came in, and how much waits for review; `width` is that of the first column."""
    if staged is not None and staged.linked:  # links that a person wrote need no review (ruling I5)
        click.echo(f"  {'links':<{width}}{staged.linked:,} between notes, now in the graph")
    if staged is not None and staged.pending_entities + staged.pending_relations:
        click.echo(f"  {'review':<{width}}{review_backlog(staged.pending_entities, staged.pending_relations)}")


def tell_reranker(settings: Settings) -> None:
    """Print how to get better answers, where no re-ranker is installed."""
    if lacks_reranker(settings):
        click.echo("  fewer answers are wrong with the re-ranker: `voice models install reranker` (72 MB)")


def review_backlog(entities: int, relations: int, none: str = "nothing new") -> str:
    """Return how many are in the queue for review, in words; `none` where there are none."""
    told = [
        *([counted(entities, "entity", "entities")] if entities else []),
        *([counted(relations, "relation")] if relations else []),
    ]
    return f"{' and '.join(told)} waiting for review: `voice kg review`" if told else none


def tell_unstaged(fault: str | None) -> None:
    """Say on stderr that what was kept could not all be put before a person, if so."""
    if fault is not None:
        note(f"could not look for names in every note ({fault}); to try again, run `voice kg stage`")


def tell_owner(name: str | None, *, is_said: bool) -> None:
    """Say on stderr how to keep who one is, where an import shows it, or `is_said` for this import alone."""
    if name is not None:
        called = printable(name)
        what = "--me holds for this import; to keep the name" if is_said else f"if you are {called}, run this once"
        note(f"{what}: `voice config owner.names {shlex.quote(called)}`")


@click.command(cls=JsonCommand)
@request_options(rows.REMEMBER)
@flag("--as-text", "Keep the piped text as one thought, even if it is an export.")
def remember(content: str | None, *, as_text: bool, **options: object) -> int:
    """Store a note whose sentences answers can cite. To read a pipe, leave TEXT out or give `-`.

    \b
    Examples:
      voice remember "The kiln is in the shed." --tag studio
      voice remember "Anna starts on the 3rd." --at "last Friday" --private
      pbpaste | voice remember --kind diary
      voice remember "The tests need a running database." --repo .
      git diff | voice remember --kind file_diff --capsule c:01m8…
    """
    from voice.services.memory.ingest import require_content
    from voice.services.memory.ingest_values import NewThought

    words = require_content(stdin_text(content, what="what to remember"))
    if content in (None, "-") and not as_text:  # what was typed is meant; what is piped may be a file
        _refuse_export(words)
    said = options_said(rows.REMEMBER, {**options, "content": words})
    thought = filled(NewThought(content="", origin=cli_origin()), said)
    capsule = options["capsule"]

    async def store(services: "Services") -> "tuple[IngestReport, Arrived]":
        placed = thought if capsule is None else await services.capsules.placed(thought, str(capsule))
        report = await services.ingest.remember([placed])
        return report, await services.extracting.arrived(report.stored)

    report, arrived = run(store, makes=True)
    tell_unembedded(report.unembedded, report.embedder_fault)
    tell_unstaged(arrived.fault)
    citable, is_like_instructions = _citable(words, report.observations, thought.speaker)
    _tell_stored(report, arrived, is_private=thought.is_private, citable=citable)
    if report.stored and is_like_instructions:
        note(LIKE_INSTRUCTIONS)
    if report.forgotten:
        note("you forgot this before, so it stays forgotten; to keep it after all, say it in other words")
    return 0 if report.stored else _EXIT_NOTHING


def _citable(content: str, observations: int, speaker: str | None) -> tuple[str, bool]:
    """Return how many sentences of a note can be cited, in words, and whether it reads like instructions to a model."""
    quarantines = load_settings().settings.llm.quarantine_instructions
    held = quarantined_sentences(content, speaker) if quarantines else 0  # with the guard off, nothing is held back
    citable = citable_in_words(distilled_sentences(content, observations, speaker), held)
    return citable, quarantines and (held > 0 or reads_like_instructions(content))


def _tell_stored(report: "IngestReport", arrived: "Arrived", *, is_private: bool, citable: str) -> None:
    if wants_json():
        print_json(remembered_json(report, arrived))
    elif report.stored:
        told = [citable, *(["private"] if is_private else ())]
        if new := arrived.staged.pending_entities + arrived.staged.pending_relations:
            told.append(f"{counted(new, 'candidate')} {'waits' if new == 1 else 'wait'} for review (voice kg review)")
        click.echo(f"{report.stored[0]}  {', '.join(told)}")


def _refuse_export(content: str) -> None:
    """Refuse what another command brings in: as one thought, its private rows would be words of a public one."""
    from voice.adapters.files.detection import command_for

    command = command_for(content.encode("utf-8", "replace"))
    if command is not None:
        raise click.UsageError(f"this is an export; import it with `{command} -`, or keep it as a text with --as-text")


@click.command(cls=JsonCommand)
@click.argument("path")
@flag("--force", "Replace an existing file.")
def export(path: str, force: bool) -> None:
    """Write all notes and the graph to one file.

    The file also holds private entries; only you can read it. PATH is `-` for a pipe.

    \b
    Examples:
      voice export memory.jsonl
      voice export - | gzip > memory.jsonl.gz
    """
    if path == "-" and wants_json():  # stdout has one document
        raise click.UsageError("--json cannot be combined with an export to standard output; name a file")
    report = run(lambda services: services.transfer.export_memory(path, overwrite=force))
    told = f"{counted(report.rows, 'row')}, {counted(report.bytes, 'byte')}"
    if path == "-":
        note(told)
    else:
        document = {"path": report.path, "rows": report.rows, "bytes": report.bytes}
        print_result(document, f"{told} in {printable(report.path)}")
