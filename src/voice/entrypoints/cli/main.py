"""The command `voice`."""

import click


@click.group()
def main() -> None:
    """Talk with a memory that proves what it says."""
