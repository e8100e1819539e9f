"""`voice sessions list | show | summarise | audit | replay`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from voice.core.text.display import counted, printable, printable_block
from voice.entrypoints.cli.ask import Form, cited_locations, plain_option, print_exchange
from voice.entrypoints.cli.session_changes import FORMER, delete, diff, edit, export, fork, import_
from voice.entrypoints.cli.show.sessions import list_lines, show_audit, show_replays, status_of
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import note, print_json, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonGroup, console, flag, option, progress_of, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from voice.bootstrap import Services
    from voice.core.context.prompt_proof import Replay
    from voice.core.interchange.origin import Location
    from voice.core.session.audit import AuditReport
    from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary
    from voice.services.sessions.lifecycle import StatusWanted, TopicWanted

EXIT_UNGROUNDED = 7
"""An audit found a sentence that is not grounded any more, or a replay a prompt that is another one."""
EXIT_UNPROVABLE = 8
"""A replay found no prompt that is another one, but one that cannot be proven any more."""


@click.group(cls=JsonGroup)
def sessions() -> None:
    """List, edit, fork, delete and audit conversations.

    \b
    Example: voice sessions list
    """


for _command in (edit, fork, diff, delete, export, import_, *FORMER):
    sessions.add_command(_command)


@sessions.command("list")
@option("-n --limit", "Show at most this many.", type=click.IntRange(1, 1000), default=20)
@option(
    "--status",
    "Only conversations with this status; an open one expires when idle too long.",
    type=click.Choice(["open", "closed", "expired", "all"]),
    default="all",
)
@option(
    "--topic-status",
    "Only conversations whose topic has this status.",
    type=click.Choice(["open", "resolved", "abandoned", "all"]),
    default="all",
)
@flag("--private include_private", "Include the topics of private conversations.")
def list_(limit: int, status: "StatusWanted", topic_status: "TopicWanted", include_private: bool) -> None:
    """List conversations, the most recent first.

    A conversation that began with private notes appears without its topic; name it by its id or its whole topic.

    \b
    Examples:
      voice sessions list -n 5 --json
      voice sessions list --status open --topic-status open
    """
    from voice.services.sessions.lifecycle import SessionFilter

    wanted = SessionFilter(status=status, topic_status=topic_status)
    items = run(lambda services: services.life.listed(limit=limit, wanted=wanted, include_private=include_private))
    if wants_json():
        print_json([forms.sessions.item_json(item) for item in items])
        return
    if not items:
        is_empty = status == topic_status == "all"
        click.echo("No conversations yet; `voice ask` starts one." if is_empty else "No conversations match.", err=True)
    for line in list_lines(items, console()):  # the column of topics is as wide as the terminal
        click.echo(line)


@sessions.command()
@click.argument("session")
@flag("--private include_private", "Include turns that use private notes.")
@plain_option
def show(session: str, include_private: bool, plain: bool) -> None:
    """Show one conversation. SESSION is an id, the start of one, or a topic.

    \b
    Example: voice sessions show "the kiln"
    """
    found, exchanges, places = run(lambda services: _with_places(services, session))
    # A topic that the person typed is no secret to them.
    found, shown = forms.sessions.disclosed(found, exchanges, include_private=include_private, said=session)
    hidden = len(exchanges) - len(shown)
    if hidden:
        note(f"{counted(hidden, 'private turn')} left out; --private shows {'it' if hidden == 1 else 'them'}")
    if wants_json():
        print_json(forms.sessions.conversation_json(found, shown))
    else:
        _print_session(found, shown, "plain" if plain else "text", places)


async def _with_places(
    services: "Services", session: str
) -> "tuple[InnerVoiceSession, Sequence[DialogueExchange], Mapping[str, Mapping[str, Location]]]":
    """Return a conversation, and where the closest passages of its refusals stand: their numbers rest on it."""
    found, exchanges = await services.life.show(session)
    return found, exchanges, {each.id: await cited_locations(services, each) for each in exchanges if each.refused}


def _print_session(
    found: "InnerVoiceSession",
    exchanges: Sequence["DialogueExchange"],
    form: Form,
    places: "Mapping[str, Mapping[str, Location]]",
) -> None:
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
        if lost := forms.answer.lost_words(exchange):
            click.echo(f"  {lost}")
        print_exchange(exchange, form, places.get(exchange.id))


def _print_summary(summary: "RollingSummary") -> None:
    click.echo(printable_block("\n".join(forms.conversation.summary_lines(summary))))


@sessions.command()
@click.argument("session")
@flag("--private include_private", "Show the summary even if it uses private notes.")
def summarise(session: str, include_private: bool) -> None:
    """Rewrite the summary of a conversation.

    Voice writes it from the earlier turns that are still valid, without a model. A turn does this by itself if a source
    of the summary was corrected, redacted or removed. SESSION is an id, the start of one, or a topic.

    \b
    Example: voice sessions summarise "the kiln"
    """
    made, summary, is_new = run(lambda services: _summarise(services, session, include_private))
    if summary is None and made.rolling_summary is not None:  # it is there, and not shown
        note("the summary is private; --private shows it")
    if wants_json():
        shown = summary and dict(forms.conversation.summary_json(summary))
        print_json({"session": made.id, "changed": is_new, "summary": shown})
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
@flag("--all everything", "Every conversation; the default if you name none.")
@flag("--private include_private", "Include the text of private turns.")
def audit(session: str | None, everything: bool, include_private: bool) -> int:
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
    report = run(lambda services: _audit(services, session, include_private))
    if wants_json():
        print_json(forms.audit.audit_json(report, include_private=include_private))
    else:
        show_audit(report, include_private=include_private)
    return 0 if report.is_grounded else EXIT_UNGROUNDED


async def _audit(services: "Services", session: str | None, include_private: bool) -> "AuditReport":
    with progress_of("Verifying") as verifying:
        return await services.audit(session, include_private=include_private, progress=verifying)


@sessions.command()
@click.argument("name", metavar="ID")
@flag("--show show_prompts", "Show the prompts: your own data, rebuilt, not stored.")
@flag("--private include_private", "With --show: include the prompts of private turns.")
def replay(name: str, show_prompts: bool, include_private: bool) -> int:
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
    replays = run(lambda services: _replay(services, name))
    if wants_json():
        withheld = [  # shown prompts hold private words
            replace(each, system=None, prompt=None) if each.is_private and not include_private else each
            for each in replays
        ]
        print_json(forms.audit.replay_json(withheld, show=show_prompts))
    else:
        show_replays(replays, show=show_prompts, include_private=include_private)
    proofs = {each.proof for each in replays}  # a difference weighs more than a doubt
    return EXIT_UNGROUNDED if "differs" in proofs else EXIT_UNPROVABLE if "unprovable" in proofs else 0


async def _replay(services: "Services", name: str) -> "Sequence[Replay]":
    with progress_of("Rebuilding") as rebuilding:
        return await services.replays(name, progress=rebuilding)
