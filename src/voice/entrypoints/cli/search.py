"""`voice retrieve` and `voice recall`.

Law: what was asked for and could not be meant is put right and said on stderr, in every form (ruling C16); what
start-up said of the settings is not said again.
"""

from typing import TYPE_CHECKING, Unpack

import click

from voice.entrypoints.cli.terminal.printing import note, print_json
from voice.entrypoints.cli.terminal.runtime import console, json_option, moment, run, stdin_text
from voice.entrypoints.cli.terminal.scope_options import ReadingScope, default_scope, named_scope, reading_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from voice.bootstrap import Services
    from voice.core.interchange.location import Location
    from voice.core.recall.values import RecallResult
    from voice.core.retrieval.values import Selection


@click.command()
@click.argument("query", required=False)
@click.option("-k", "--top-k", type=int, help="How many snippets (1-50).")
@click.option("-n", "--limit", type=int, help="How many snippets, with the bounds of questions (1-100); not with -k.")
@click.option("--order", type=click.Choice(["created_at_desc", "created_at_asc"]), help="Order of the snippets.")
@click.option("--mix", type=float, help="Share of the knowledge graph, 0 (thoughts only) to 1 (graph only).")
@click.option("--floor", type=float, help="The lowest cosine similarity to keep.")
@click.option("--private", "include_private", is_flag=True, help="Include private notes.")
@click.option("--tag", "include_tags", multiple=True, metavar="TAG", help="Only notes with one of these tags.")
@click.option("--not-tag", "exclude_tags", multiple=True, metavar="TAG", help="No notes with one of these tags.")
@click.option("--when", metavar="PHRASE", help='Only notes from this time, e.g. "last week".')
@click.option("--as-of", "as_of", metavar="WHEN", help="Search what the memory held at that time.")
@reading_options
@click.option(
    "--provider",
    metavar="NAME",
    help="How to search: local-vector, local-hybrid, local-fts, or an installed provider.",
)
@click.option("--lexical-only", is_flag=True, help="Rank by words alone, without the encoder.")
@click.option("--rerank", is_flag=True, help="Let the installed re-ranker order the best results.")
@click.option("--explain", is_flag=True, help="Show how each snippet scored and what was left out.")
@json_option
@click.pass_context
def retrieve(
    ctx: click.Context,
    query: str | None,
    top_k: int | None,
    limit: int | None,
    order: str | None,
    mix: float | None,
    floor: float | None,
    include_private: bool,
    include_tags: tuple[str, ...],
    exclude_tags: tuple[str, ...],
    when: str | None,
    as_of: str | None,
    provider: str | None,
    lexical_only: bool,
    rerank: bool,
    explain: bool,
    as_json: bool,
    **where: Unpack[ReadingScope],
) -> None:
    """Search your notes and the graph for passages, each with its source. Asks no model.

    \b
    Examples:
      voice retrieve "how the kiln was wired" -k 5
      voice retrieve "Anna" --when "last month" --order created_at_asc --json
    """
    from voice.core.render.retrieval import render_explain, render_retrieve
    from voice.core.retrieval.params import RetrieveRequest

    request = RetrieveRequest(
        query=stdin_text(query, what="what to look for"),
        top_k=top_k,
        limit=limit,
        order=order,
        mix=mix,
        floor=floor,
        include_private=include_private,
        include_tags=include_tags,
        exclude_tags=exclude_tags,
        when=when,
        as_of=moment(ctx, as_of, "--as-of"),
        scope=named_scope(where),
        surroundings=default_scope(ctx),
        provider=provider,
        lexical_only=lexical_only,
        rerank=rerank,
        explain=explain,
    )

    async def work(services: "Services") -> "tuple[Selection, tuple[str, ...], Mapping[str, Location]]":
        selection = await services.find(request)
        ids = [] if as_json else [snippet.id for snippet in selection.snippets]
        return selection, services.find.defaults.warnings, await _stand(services, ids)

    selection, said_at_start, locations = run(ctx, work, gated=True)
    _tell_changes(selection, said_at_start)
    if as_json:
        print_json(dict(render_explain(selection) if explain else render_retrieve(selection)))
        return
    from voice.entrypoints.cli.show.retrieval import show_selection

    show_selection(selection, console(), explain=explain, locations=locations)


async def _stand(services: "Services", row_ids: "Sequence[str]") -> "Mapping[str, Location]":
    """Return where rows stand, by their ids; why that cannot be told is said."""
    from voice.core.errors import DataFileError

    try:
        return await services.source_locations(row_ids) if row_ids else {}
    except DataFileError as error:
        note(error.message)
        return {}


def _tell_changes(selection: "Selection", said_at_start: tuple[str, ...]) -> None:
    """Say what became of the request; that words alone were to count was the caller's own wish."""
    from voice.core.retrieval.selection import LEXICAL_ONLY_WARNING

    for warning in selection.diagnostics.warnings:
        if warning not in {*said_at_start, LEXICAL_ONLY_WARNING}:
            note(warning)


@click.command()
@click.argument("query", required=False)
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="TOKENS", help="How many tokens the whole result may have."
)
@click.option("--max-candidates", type=int, help="How many candidates to consider (1-500; 50).")
@click.option("-n", "--limit", type=int, help="How many candidates to return at most.")
@click.option("--order", type=click.Choice(["created_at_desc", "created_at_asc"]), help="Order of the candidates.")
@click.option("--when", metavar="PHRASE", help='Only candidates from this time, e.g. "last week".')
@click.option("--now", metavar="TIME", help="The time from which pins expire and ages count.")
@reading_options
@click.option("--provider", metavar="NAME", help="How to search: local-hybrid, local-fts, local-vector, …")
@click.option("--private", "--include-private", "include_private", is_flag=True, help="Include private notes.")
@click.option("--include-redacted", is_flag=True, help="Show redacted entries, as [redacted].")
@click.option("--rerank", is_flag=True, help="Let the installed re-ranker order the best results.")
@json_option
@click.pass_context
def recall(
    ctx: click.Context,
    query: str | None,
    budget: int | None,
    max_candidates: int | None,
    limit: int | None,
    order: str | None,
    when: str | None,
    now: str | None,
    provider: str | None,
    include_private: bool,
    include_redacted: bool,
    rerank: bool,
    as_json: bool,
    **where: Unpack[ReadingScope],
) -> None:
    """Give an agent what matters for a query: pins, the current summary and candidates, within a token budget.

    \b
    Examples:
      voice recall "the authentication bug" --budget 2000
      voice recall "login" --repo . --json
    """
    from voice.core.recall.params import RecallRequest

    scope, default = named_scope(where), default_scope(ctx)
    asked = stdin_text(query, what="what to recall").strip()
    at = moment(ctx, now, "--now")

    async def work(services: "Services") -> "RecallResult":
        request = RecallRequest(
            query=asked,
            scope=scope,
            surroundings=default,
            token_budget=budget,
            max_candidates=max_candidates,
            limit=limit,
            order=order,
            when=when,
            provider=provider,
            include_private=include_private,
            include_redacted=include_redacted,
            now=at,
            rerank=rerank,
        )
        return await services.recall(request)

    result = run(ctx, work, gated=True)
    if as_json:
        from voice.core.render.recall import render_recall

        print_json(dict(render_recall(result)))
        return
    for warning in result.provenance.warnings:
        note(warning)
    from voice.entrypoints.cli.show.retrieval import show_recall

    show_recall(result, console())
