"""Commands inside the test's own process, for tests whose other processes are what they are about."""

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from cli_runner import Ran
from voice.entrypoints.cli.main import exit_code


def run_here(*arguments: str, home: Path) -> Ran:
    """Run a command on a data directory, as `run_command` does, and wait for no interpreter to start."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = exit_code(["--home", str(home), *arguments])
    for each in (out, err):
        each.seek(0)
    return Ran(code=code, out=out.read(), err=err.read())
