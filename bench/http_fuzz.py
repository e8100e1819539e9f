"""Sends the HTTP interface everything its document allows, and much that it does not: the long version of the test.

    python -m bench.http_fuzz --examples 300

Law: a server of its own over a memory in memory, no rate in the way; what is drawn is the same under the same seed. It
ends with 0 when every answer was one that the document tells of, and none a failure of the server's own.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_SERVER = _ROOT / "tests" / "fuzzed_server.py"
_TOKEN = "token for programs: "
_DOCUMENT = _ROOT / "src" / "voice" / "schemas" / "openapi.json"


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=300, help="for each operation, in each mode")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        sys.exit(_run(Path(home), asked.examples, asked.seed))


def _run(home: Path, examples: int, seed: int) -> int:
    path = os.pathsep.join([str(_ROOT / "src"), str(_ROOT / "tests"), *sys.path])
    server = subprocess.Popen(
        [sys.executable, str(_SERVER), str(home)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        assert server.stderr is not None
        token = next(line for line in server.stderr if line.startswith(_TOKEN)).removeprefix(_TOKEN).strip()
        origin = next(line for line in server.stderr if "/?code=" in line).partition("/?code=")[0]
        schemathesis = Path(sys.executable).with_name("schemathesis")
        command = [str(schemathesis), "run", str(_DOCUMENT), "--url", origin, "--mode", "all", "--seed", str(seed)]
        command += ["--header", f"Authorization: Bearer {token}", "--max-examples", str(examples)]
        command += ["--phases", "examples,coverage,fuzzing", "--exclude-checks", "positive_data_acceptance"]
        return subprocess.run(command, check=False).returncode
    finally:
        server.terminate()
        server.wait(timeout=60)


if __name__ == "__main__":
    main()
