"""`voice recall`: S4's contract on the command line."""

from typing import TYPE_CHECKING, Unpack

import click

from voice.entrypoints.cli.printing import note, print_json
from voice.entrypoints.cli.runtime import console, json_option, moment, run, stdin_text
from voice.entrypoints.cli.standing import ReadingScope, named_scope, reading_options, surroundings

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.recall.values import RecallResult


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

    scope, default = named_scope(where), surroundings(ctx)
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
    from voice.entrypoints.cli.show_recall import show_recall

    show_recall(result, console())
