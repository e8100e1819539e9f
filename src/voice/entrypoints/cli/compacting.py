"""Compacting the store, as commands do it that take something away.

Law: nobody has the store open meanwhile, and the index is made anew behind it: its old files hold words of what went.
"""

from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.runtime import home_of, load_settings, progress, require_home, run

if TYPE_CHECKING:
    from voice.wiring.services import Services


def require_compactable(ctx: click.Context) -> None:
    """Refuse to go on where the store cannot be compacted.

    Raises:
        ConfigurationError: it is not on this machine's disk.
    """
    from voice.wiring.forgetting import check_compactable

    check_compactable(load_settings(ctx).settings, home_of(ctx))


def compacted(ctx: click.Context) -> dict[str, object]:
    """Compact the closed store, make its index anew, and return what came of it as JSON values."""
    import anyio

    from voice.wiring.forgetting import compact

    require_home(ctx)
    settings = load_settings(ctx).settings
    with progress() as advance:
        report = anyio.run(compact, settings, home_of(ctx), advance)
    run(ctx, _reindexed)
    return {"records": report.records, "bytes_before": report.bytes_before, "bytes_after": report.bytes_after}


async def _reindexed(services: "Services") -> None:
    """Make the index anew: the files of the old one hold words of what went."""
    with progress() as advance:
        await services.index.rebuild(lambda done, total: advance("indexing", done, total))
