"""`voice retrieve` and `voice recall`.

Law: what was asked for and could not be meant is put right and said on stderr, in every form (ruling C16); what
start-up said of the settings is not said again.
"""

from typing import TYPE_CHECKING

import click

from voice.core.recall.params import RecallRequest
from voice.core.retrieval.params import RetrieveRequest
from voice.entrypoints.cli.ask import places_or_note
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import note, print_json, wants_json
from voice.entrypoints.cli.terminal.request_options import options_said, request_options
from voice.entrypoints.cli.terminal.runtime import JsonCommand, console, run, stdin_text
from voice.requests import filled, questions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from voice.bootstrap import Services
    from voice.core.interchange.origin import Location
    from voice.core.retrieval.values import Selection


@click.command(cls=JsonCommand)
@request_options(questions.RETRIEVE)
def retrieve(query: str | None, *, explain: bool, **options: object) -> None:
    """Search your notes and the graph for passages. Each has its source. It asks no model.

    \b
    Examples:
      voice retrieve "how the kiln was wired" -k 5
      voice retrieve "Anna" --when "last month" --order created_at_asc --json
    """
    from voice.core.render.retrieval import render_explain, render_retrieve
    from voice.core.retrieval.selection import LEXICAL_ONLY_WARNING

    said = {**options, "query": stdin_text(query, what="what to look for"), "explain": explain}
    request = filled(RetrieveRequest(query=""), options_said(questions.RETRIEVE, said))

    async def work(services: "Services") -> "tuple[Selection, tuple[str, ...], Mapping[str, Location]]":
        selection = await services.find(request)
        ids = [] if wants_json() else [snippet.id for snippet in selection.snippets]  # JSON has no member for places
        warned = services.find.defaults.warnings
        return selection, warned, await places_or_note(services.source_locations(ids)) if ids else {}

    selection, known, locations = run(work, gated=True)
    for warning in selection.diagnostics.warnings:
        # That words alone count was the caller's own wish; what start-up warned of was said then.
        if warning not in {*known, LEXICAL_ONLY_WARNING}:
            note(warning)
    if wants_json():
        print_json(render_explain(selection) if explain else render_retrieve(selection))
        return
    from voice.entrypoints.cli.show.retrieval import show_selection

    show_selection(selection, console(), explain=explain, locations=locations)


@click.command(cls=JsonCommand)
@request_options(questions.RECALL)
def recall(query: str | None, **options: object) -> None:
    """Give an agent what matters for a query.

    That is pins, the current summary and candidates, within a token budget.

    \b
    Examples:
      voice recall "the authentication bug" --budget 2000
      voice recall "login" --repo . --json
    """
    said = {**options, "query": stdin_text(query, what="what to recall").strip()}  # blanks alone are an empty query
    request = filled(RecallRequest(query=""), options_said(questions.RECALL, said))
    result = run(lambda services: services.recall(request), gated=True)
    if wants_json():
        print_json(forms.recall.render_recall(result))
        return
    for warning in result.provenance.warnings:
        note(warning)
    from voice.entrypoints.cli.show.retrieval import show_recall

    show_recall(result, console())
