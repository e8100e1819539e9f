"""`voice pins`: what shall always come first in recall.

Law: a pin never shows more than its target may show: a private target is pinned, and its pin listed, only with
`--private`, and the reason of a forgotten or redacted one is not told (promise 6). Removing what is not
there is a mistyped id.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from voice.core.errors import UnknownId
from voice.core.text.display import counted
from voice.entrypoints.cli.printing import minute_of, note, print_json, printable
from voice.entrypoints.cli.runtime import json_option, moment, run
from voice.entrypoints.cli.standing import (
    ReadingScope,
    named_scope,
    reading_options,
    repo_option,
    scope_option,
    scope_to_write,
    surroundings,
)

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.recall.values import Pin
    from voice.services.recall.pins import PinView


@click.group()
def pins() -> None:
    """Pin what recall and prompts always show first.

    \b
    Example: voice pins list
    """


@pins.command()
@click.argument("target")
@click.option("--reason", required=True, metavar="WORDS", help="Why it matters.")
@click.option(
    "--for", "lifetime", metavar="TIME", help="How long it stays pinned: 90m, 12h, 7d, 2w. Default: for ever."
)
@click.option("--until", metavar="WHEN", help="When it ends: 2026-03-05 or 2026-03-05T14:00.")
@click.option("--private", "allow_private", is_flag=True, help="Pin it even if it is private.")
@scope_option
@repo_option
@json_option
@click.pass_context
def add(
    ctx: click.Context,
    target: str,
    reason: str,
    lifetime: str | None,
    until: str | None,
    allow_private: bool,
    scope_words: tuple[str, ...],
    repo: Path | None,
    as_json: bool,
) -> None:
    """Pin TARGET: a row (t:…, e:…, o:…, r:…) or the summary of a capsule or session (m:c:…, m:s:…).

    A pin has its target's scope unless you name one. Pinning again in the same scope renews its reason and end.

    \b
    Examples:
      voice pins add t:01m8… --reason "the decision everything rests on"
      voice pins add o:01m8… --reason "until the release" --for 7d
    """
    from voice.core.recall.pins import PinRequest, parse_lifetime

    request = PinRequest(
        target_id=target,
        reason=reason,
        lifetime=None if lifetime is None else parse_lifetime(lifetime),
        expires_at=moment(ctx, until, "--until"),
        scope=scope_to_write(scope_words, repo),
        allow_private=allow_private,
    )

    async def work(services: "Services") -> "Pin":
        return await services.pins.pin(replace(request, target_id=await services.resolve_ids.one(target)))

    pin = run(ctx, work)
    if as_json:
        from voice.core.render.recall import pin_json

        print_json(pin_json(pin, "active"))
    else:
        click.echo(f"{pin.id}  {printable(pin.target_id)} is pinned {_end(pin)}")


@pins.command("list")
@click.option("--all", "include_expired", is_flag=True, help="List expired pins, too.")
@click.option("--private", "include_private", is_flag=True, help="List private pins, too.")
@reading_options
@json_option
@click.pass_context
def list_(
    ctx: click.Context,
    include_expired: bool,
    include_private: bool,
    as_json: bool,
    **where: Unpack[ReadingScope],
) -> None:
    """List pins, the newest first; those whose target is gone say so.

    \b
    Example: voice pins list --scope repo=/home/ann/kiln
    """
    listed = run(
        ctx,
        lambda services: services.pins.listed(
            scope=named_scope(where),
            surroundings=surroundings(ctx),
            include_expired=include_expired,
            include_private=include_private,
        ),
    )
    if listed.hidden:
        note(f"{counted(listed.hidden, 'private pin')} left out; --private lists them")
    if as_json:
        from voice.core.render.recall import pin_json

        print_json([pin_json(view.pin, view.state) for view in listed.pins])
        return
    if not listed.pins and not listed.hidden:
        click.echo("Nothing is pinned; `voice pins add` pins a row.", err=True)
    for view in listed.pins:
        click.echo(_line(view))


@pins.command()
@click.argument("pin")
@json_option
@click.pass_context
def remove(ctx: click.Context, pin: str, as_json: bool) -> None:
    """Remove a pin. PIN is its id (p:…), or a target whose pins all go.

    \b
    Example: voice pins remove p:01m8…
    """

    async def work(services: "Services") -> list[str]:
        return await services.pins.unpin(await services.resolve_ids.one(pin))

    removed = run(ctx, work)
    if not removed:
        raise UnknownId(f"nothing is pinned under {pin!r}; `voice pins list --all` shows what is")
    if as_json:
        print_json({"removed": [*removed]})
    else:
        click.echo("\n".join(f"{pin_id} is removed" for pin_id in removed))


def _line(view: "PinView") -> str:
    from voice.core.recall.scopes import render_scope

    pin = view.pin
    state = "" if view.state == "active" else f"({view.state})"
    parts = (pin.id, minute_of(pin.created_at), pin.target_id, _end(pin), render_scope(pin.scope), state, pin.reason)
    return "  ".join(printable(part) for part in parts if part)


def _end(pin: "Pin") -> str:
    return "for ever" if pin.expires_at is None else f"until {minute_of(pin.expires_at)}"
