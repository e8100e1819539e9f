"""Writes a store of answers that the judge before `ladder-1` judged, for the tests that read them with today's voice.

    .venv/bin/python tools/lexical_store.py REVISION

REVISION is one whose judge was the lexical one. Its program holds a conversation with a scripted model: answers whose
sentences it found supported, unsupported, contradicted and no claims, some with a verifier beside it, refusals, and
turns that were folded into a summary. What is written is one archive: the data directory, its key, a backup, and the
conversation as that program exported it. It is written once.
"""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ARCHIVE = ROOT / "tests" / "fixtures" / "judged" / "lexical-1.tar.xz"
MEMBERS = ("key", "memory", "voice.toml", "store.backup", "kiln.json", "example.json")
SETTINGS = """\
enabled = true
[embed]
provider = "hash"
[llm]
provider = "extractive"
[grounding]
single_source = "green"
[time]
timezone = "Europe/Lisbon"
"""
NOTES = (
    ("Moved the kiln to the shed behind the house.",),
    ("The blue glaze needs cobalt and two firings.",),
    ("Ida fired the kiln at 1,240 degrees on Tuesday.",),
    ("Clara sold the electric wheel to Tom in May.",),
    ("Tom said: the wheel hums at night.",),
    ("The safe opens with 4711, said Anna.", "--private"),
)
CONVERSATION = '''
import asyncio, json, sys
from dataclasses import replace
from pathlib import Path

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ScriptedClient
from voice.bootstrap import Parts, open_services
from voice.core.settings.values import Settings
from voice.entrypoints.cli.terminal.printing import json_text
from voice.services.runtime.turn import AskRequest

TURNS = (
    ("Where did I move the kiln?", ("shed",), "Moved the kiln to the shed behind the house.", False),
    ("Who is the emperor of China?", (), None, False),
    ("What does the blue glaze need?", ("cobalt",),
     "The blue glaze needs cobalt and two firings. It was bought from a dealer in Lyon.", False),
    ("What did Clara sell to Tom?", ("wheel to Tom",),
     "Clara sold the electric wheel to Tom in May, and Tom painted it green. "
     "Clara sold the electric wheel to Tom in May. Would you like to hear more?", False),
    ("How hot did Ida fire the kiln?", ("1,240", "shed"),
     "Ida fired the kiln at 1,240 degrees on Tuesday. Moved the kiln to the shed behind the house. "
     "Ida fired the kiln at 1,420 degrees on Tuesday.", False),
    ("What did Tom say of the wheel?", ("hums",), 'Tom said: "the wheel hums at night".', False),
    ("What opens the safe?", ("4711",), "The safe opens with 4711, said Anna.", True),
    ("Where is the kiln, and who fired it?", ("1,240", "shed"),
     "Ida fired the kiln. The kiln is in the shed behind the house.", False),
)


def model(turns):
    """Answer as the turn that is asked wants it; as a judge, support what is held to be so."""
    def said(request):
        if "verdicts" in request.schema["properties"]:
            pairs = request.prompt.count('{"')
            return json.dumps({"verdicts": [{"pair": at + 1, "verdict": "supported"} for at in range(pairs)]})
        _, words, answer, _ = next(turn for turn in turns if turn[0] == request.question)
        if answer is None:
            return json.dumps({"sources": [], "answer": None, "refused": True, "notes": "nothing on that"})
        rows = [next(row for row in request.evidence if word in row.text) for word in words]
        sources = [{"source_id": row.alias, "span": row.text} for row in rows]
        return json.dumps({"sources": sources, "answer": answer, "refused": False, "notes": None})
    return ScriptedClient(said)


async def main(home):
    base = Settings()
    settings = replace(
        base,
        time=replace(base.time, timezone="Europe/Lisbon"),
        grounding=replace(base.grounding, min_sources=1, min_coverage=0.4),
        session=replace(base.session, window_limit=4, window_keep=2),
    )
    asked = TURNS[-1]
    parts = Parts(embedder=HashedEmbedder(), llm=model(TURNS))
    async with open_services(settings, home, parts) as services:
        begun = None
        for question, _, _, is_private in TURNS[:-1]:
            topic = {"session_id": begun} if begun else {"new_topic": "the kiln"}
            turn = await services.ask(AskRequest(question=question, include_private=is_private, **topic))
            begun = turn.exchange.session_id
    verifier = replace(settings.verifier, names="llm")
    async with open_services(replace(settings, verifier=verifier), home, parts) as services:
        await services.ask(AskRequest(question=asked[0], session_id=begun))
        left = await services.transcripts.export("the kiln", include_private=True)
        (home / "kiln.json").write_text(json_text(left.document.members()) + "\\n", encoding="utf-8")


asyncio.run(main(Path(sys.argv[1])))
'''


def main(revision: str) -> None:
    """Write the archive of one revision."""
    with tempfile.TemporaryDirectory() as folder:
        source, home = Path(folder) / "source", Path(folder) / "home"
        source.mkdir()
        home.mkdir(mode=0o700)
        archive = subprocess.run(
            ["git", "archive", revision, "src", "prompts", "sessions"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", str(source)], input=archive.stdout, check=True)
        (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
        told = {"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(source / "src"), "PYTHONUTF8": "1"}
        python = [sys.executable]
        voice = [*python, "-m", "voice", "--home", str(home)]
        for note in NOTES:
            subprocess.run([*voice, "remember", *note], env=told, cwd=home, check=True, capture_output=True)
        subprocess.run([*python, "-c", CONVERSATION, str(home)], env=told, cwd=home, check=True)
        backup = ["maintain", "backup", str(home / "store.backup")]
        subprocess.run([*voice, *backup], env=told, cwd=home, check=True, capture_output=True)
        (home / "example.json").write_bytes((source / "sessions" / "piano-tuner.json").read_bytes())
        ARCHIVE.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(ARCHIVE, "x:xz") as packed:
            for member in MEMBERS:
                packed.add(home / member, member, filter=_anonymous)
    print(f"wrote {ARCHIVE.relative_to(ROOT)}")  # noqa: T201  (its output)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    main(*sys.argv[1:])
