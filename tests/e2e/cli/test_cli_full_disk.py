"""Whole commands on a small disk that somebody filled: what reads answers, what writes says why it does not."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli_runner import clean_environment, data_directory, run_command

pytestmark = pytest.mark.requirement("holder:full-disk")
READS = (["sessions", "list"], ["retrieve", "kiln"], ["kg", "list"], ["export", "-"], ["maintain", "verify"])
WRITES = (["remember", "The kiln is cold."], ["ask", "Where is the kiln?"])
_MOUNT = 'mount -t tmpfs -o size=16m none "$1" && cp -a "$2" "$1/home" && exec "$3" -c "$4" "$1"'
"""A disk of its own, seen by this process alone, with the memory on it."""
_FILL = """
import json, subprocess, sys
disk = sys.argv[1]
with open(disk + "/filling", "wb", buffering=0) as filling:
    try:
        while filling.write(b"x" * 4096):
            pass
    except OSError:
        pass
told = []
for call in json.loads(sys.stdin.read()):
    command = [sys.executable, "-m", "voice", "--home", disk + "/home", *call]
    ran = subprocess.run(command, capture_output=True, text=True)
    told.append([ran.returncode, ran.stdout, ran.stderr])
print(json.dumps(told))
"""


def _can_mount() -> bool:
    try_it = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"]
    return (
        shutil.which("unshare") is not None and subprocess.run(try_it, capture_output=True, check=False).returncode == 0
    )


@pytest.mark.skipif(not _can_mount(), reason="a disk of one's own cannot be mounted here: unshare -rm is not allowed")
def test_on_a_full_disk_what_reads_answers_and_what_writes_says_why_not(tmp_path: Path) -> None:
    home, disk = data_directory(tmp_path / "home"), tmp_path / "disk"
    disk.mkdir()
    run_command("remember", "The kiln is in the shed behind the house.", home=home)
    command = ["unshare", "-rm", "sh", "-c", _MOUNT, "sh", str(disk), str(home), sys.executable, _FILL]
    calls = json.dumps([*READS, *WRITES])
    ran = subprocess.run(command, input=calls, capture_output=True, text=True, env=clean_environment(), check=False)
    assert ran.returncode == 0, (shlex.join(command[:4]), ran.stderr)
    told = json.loads(ran.stdout)
    reads, writes = told[: len(READS)], told[len(READS) :]
    assert [(call, err) for call, (code, _, err) in zip(READS, reads, strict=True) if code] == []
    told_of = {call[0]: out for call, (_, out, _) in zip(READS, reads, strict=True)}
    assert ("in the shed" in told_of["retrieve"], "in the shed" in told_of["export"]) == (True, True)
    assert [(code, "the disk was full when the store was opened" in err) for code, _, err in writes] == [(1, True)] * 2
