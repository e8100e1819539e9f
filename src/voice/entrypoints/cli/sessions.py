"""`voice sessions list | show | summarise | audit | replay`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from voice.core.text.display import counted
from voice.entrypoints.cli.ask import Form, plain_option, print_exchange
from voice.entrypoints.cli.session_changes import FORMER, delete, diff, edit, export, fork, import_
from voice.entrypoints.cli.show.sessions import list_lines, status_of
from voice.entrypoints.cli.terminal.printing import note, print_json, printable, printable_block
from voice.entrypoints.cli.terminal.runtime import console, json_option, progress_of, run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.context.prompt_proof import Replay
    from voice.core.session.audit import AuditReport
    from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary
    from voice.services.sessions.lifecycle import StatusWanted, TopicWanted

EXIT_UNGROUNDED = 7
"""An audit found a sentence that is not grounded any more, or a replay a prompt that is another one."""
EXIT_UNPROVABLE = 8
"""A replay found no prompt that is another one, but one that cannot be proven any more."""


@click.group()
def sessions() -> None:
    """List, edit, fork, delete and audit conversations.

    \b
    Example: voice sessions list
    """


for _command in (edit, fork, diff, delete, export, import_, *FORMER):
    sessions.add_command(_command)


@sessions.command("list")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Show at most this many."
)
@click.option(
    "--status",
    type=click.Choice(["open", "closed", "expired", "all"]),
    default="all",
    show_default=True,
    help="Only conversations with this status; an open one expires when idle too long.",
)
@click.option(
    "--topic-status",
    type=click.Choice(["open", "resolved", "abandoned", "all"]),
    default="all",
    show_default=True,
    help="Only conversations whose topic has this status.",
)
@click.option("--private", "include_private", is_flag=True, help="Include the topics of private conversations.")
@json_option
@click.pass_context
def list_(
    ctx: click.Context,
    limit: int,
    status: "StatusWanted",
    topic_status: "TopicWanted",
    include_private: bool,
    as_json: bool,
) -> None:
    """List conversations, the most recent first.

    A conversation that began with private notes appears without its topic; name it by its id or its whole topic.

    \b
    Examples:
      voice sessions list -n 5 --json
      voice sessions list --status open --topic-status open
    """
    from voice.services.sessions.lifecycle import SessionFilter

    wanted = SessionFilter(status=status, topic_status=topic_status)
    items = run(ctx, lambda services: services.life.listed(limit=limit, wanted=wanted, include_private=include_private))
    if as_json:
        from voice.entrypoints.shared.sessions import item_json

        print_json([item_json(item) for item in items])
        return
    if not items:
        is_empty = status == topic_status == "all"
        click.echo("No conversations yet; `voice ask` starts one." if is_empty else "No conversations match.", err=True)
    for line in list_lines(items, console()):  # the column of topics is as wide as the terminal
        click.echo(line)


@sessions.command()
@click.argument("session")
@click.option("--private", "include_private", is_flag=True, help="Include turns that use private notes.")
@plain_option
@json_option
@click.pass_context
def show(ctx: click.Context, session: str, include_private: bool, plain: bool, as_json: bool) -> None:
    """Show one conversation. SESSION is an id, the start of one, or a topic.

    \b
    Example: voice sessions show "the kiln"
    """
    from voice.entrypoints.shared.sessions import conversation_json, disclosed

    found, exchanges = run(ctx, lambda services: services.life.show(session))
    # A topic that the person typed is no secret to them.
    found, shown = disclosed(found, exchanges, include_private=include_private, said=session)
    hidden = len(exchanges) - len(shown)
    if hidden:
        note(f"{counted(hidden, 'private turn')} left out; --private shows {'it' if hidden == 1 else 'them'}")
    if as_json:
        print_json(conversation_json(found, shown))
        return
    _print_session(found, shown, "plain" if plain else "text")


def _print_session(found: "InnerVoiceSession", exchanges: Sequence["DialogueExchange"], form: Form) -> None:
    from voice.core.render.answer import lost_words

    click.echo(f"{printable(found.thread_topic)} ({found.id}, {status_of(found)})")
    if found.lineage:
        same = "Turn 1 is" if found.own_from == 1 else f"Turns 1 to {found.own_from} are"
        click.echo(f"{same} shared with {found.lineage[-1].session_id}.")
    if found.rolling_summary and found.rolling_summary.text:
        _print_summary(found.rolling_summary)
    for exchange in exchanges:
        origin = "  imported" if exchange.imported_from else ""
        click.echo(f"\nturn {exchange.index + 1}  {exchange.id}{origin}")  # people count from 1
        click.echo(f"> {printable(exchange.my_query)}" if exchange.my_query else "> (deleted)")  # forgotten or redacted
        if lost := lost_words(exchange):
            click.echo(f"  {lost}")
        print_exchange(exchange, form)


def _print_summary(summary: "RollingSummary") -> None:
    from voice.core.render.conversation import summary_lines

    click.echo(printable_block("\n".join(summary_lines(summary))))


@sessions.command()
@click.argument("session")
@click.option("--private", "include_private", is_flag=True, help="Show the summary even if it uses private notes.")
@json_option
@click.pass_context
def summarise(ctx: click.Context, session: str, include_private: bool, as_json: bool) -> None:
    """Rewrite the summary of a conversation.

    Voice writes it from the earlier turns that are still valid, without a model. A turn does this by itself if a source
    of the summary was corrected, redacted or removed. SESSION is an id, the start of one, or a topic.

    \b
    Example: voice sessions summarise "the kiln"
    """
    made, summary, is_new = run(ctx, lambda services: _summarise(services, session, include_private))
    if summary is None and made.rolling_summary is not None:  # it is there, and not shown
        note("the summary is private; --private shows it")
    if as_json:
        from voice.core.render.conversation import summary_json

        print_json({"session": made.id, "changed": is_new, "summary": summary and dict(summary_json(summary))})
        return
    click.echo("rewritten" if is_new else "nothing to rewrite: the summary is up to date", err=True)
    if summary is not None:
        _print_summary(summary)


async def _summarise(
    services: "Services", name: str, include_private: bool
) -> "tuple[InnerVoiceSession, RollingSummary | None, bool]":
    from voice.services.sessions.lookup import load_session, shown_summary

    session = await load_session(services.sessions, name, window=0, timezone=services.timezone)
    made = await services.summaries(session)
    shown = made.rolling_summary if include_private else await shown_summary(services.sessions, made)
    return made, shown, made is not session  # the same object: nothing was rewritten


@sessions.command()
@click.argument("session", required=False)
@click.option("--all", "everything", is_flag=True, help="Every conversation; the default if you name none.")
@click.option("--private", "include_private", is_flag=True, help="Include the text of private turns.")
@json_option
@click.pass_context
def audit(ctx: click.Context, session: str | None, everything: bool, include_private: bool, as_json: bool) -> int:
    """Verify stored answers against today's memory.

    For each sentence it says whether its source still supports it, or was changed, removed or redacted. It asks no
    model. The audit includes private turns. SESSION is an id, the start of one, or a topic.

    The exit code is 0 if everything is still grounded, 7 if not.

    \b
    Examples:
      voice sessions audit --all
      voice sessions audit "the kiln" --json
    """
    if session is not None and everything:  # no session and --all are the same
        raise click.UsageError("choose one of SESSION and --all")
    report = run(ctx, lambda services: _audit(services, session, include_private))
    if as_json:
        from voice.core.render.audit import audit_json

        print_json(audit_json(report, include_private=include_private))
    else:
        from voice.entrypoints.cli.show.audit import show_audit

        show_audit(report, include_private=include_private)
    return 0 if report.is_grounded else EXIT_UNGROUNDED


async def _audit(services: "Services", session: str | None, include_private: bool) -> "AuditReport":
    with progress_of("Verifying") as verifying:
        return await services.audit(session, include_private=include_private, progress=verifying)


@sessions.command()
@click.argument("name", metavar="ID")
@click.option("--show", "show_prompts", is_flag=True, help="Show the prompts: your own data, rebuilt, not stored.")
@click.option("--private", "include_private", is_flag=True, help="With --show: include the prompts of private turns.")
@json_option
@click.pass_context
def replay(ctx: click.Context, name: str, show_prompts: bool, include_private: bool, as_json: bool) -> int:
    """Rebuild past prompts and prove that they are what was sent.

    ID is a turn's id (x:...), or a conversation's id, the start of one, or its topic. Voice never stores a prompt, only
    its keyed hash and its parts. The command says whether a prompt is proven, how it differs, or that it can no longer
    be proven because a part was changed, removed or redacted.

    The exit code is 0 if every prompt is proven, 7 if one differs, and 8 if none differs but one cannot be proven.

    \b
    Examples:
      voice sessions replay "the kiln"
      voice sessions replay x:01km66fsm727n7qm3dcxjw158h --show
    """
    replays = run(ctx, lambda services: _replay(services, name))
    if as_json:
        from voice.core.render.audit import replay_json

        withheld = [  # shown prompts hold private words
            replace(each, system=None, prompt=None) if each.is_private and not include_private else each
            for each in replays
        ]
        print_json(replay_json(withheld, show=show_prompts))
    else:
        from voice.entrypoints.cli.show.audit import show_replays

        show_replays(replays, show=show_prompts, include_private=include_private)
    proofs = {each.proof for each in replays}  # a difference weighs more than a doubt
    return EXIT_UNGROUNDED if "differs" in proofs else EXIT_UNPROVABLE if "unprovable" in proofs else 0


async def _replay(services: "Services", name: str) -> "Sequence[Replay]":
    with progress_of("Rebuilding") as rebuilding:
        return await services.replays(name, progress=rebuilding)
