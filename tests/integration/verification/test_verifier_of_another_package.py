"""A verifier that another package brings, by its entry point."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from tables import tables
from voice.adapters.verifiers import make_verifier
from voice.core.errors import ConfigurationError
from voice.core.grounding.verifier_values import ClaimOpinion, VerificationReply
from voice.ports.verifier import VerifierRequest
from voice.testing.verifiers import ASKED, UnpaidMeter, context

TABLES = tables(__file__)

ORACLE = '''
"""Supports everything."""

from voice.core.grounding.verifier_values import ClaimOpinion, VerificationReply, VerifierInfo
from voice.ports.verifier import NOTHING_TO_PAY


class Oracle:
    info = VerifierInfo(name="oracle", version="7")
    remote = False

    def __init__(self, context):
        self.context = context

    def foresee(self, asked, *, unwritten=0):
        return NOTHING_TO_PAY

    async def verify(self, request):
        claims = request.asked.claims
        return VerificationReply(opinions=tuple(ClaimOpinion(number=c.number, verdict="supported") for c in claims))


class Misnamed(Oracle):
    pass


class Shapeless(Oracle):
    info = None


class Unforeseeing(Oracle):
    info = VerifierInfo(name="unforeseeing", version="7")
    foresee = None


def keyless(context):
    from voice.core.errors import ConfigurationError

    raise ConfigurationError("the oracle needs a key: set ORACLE_KEY")


def broken(context):
    raise RuntimeError("memory text that must not be shown")
'''
ENTRIES = """[voice.verifiers]
oracle = an_oracle:Oracle
misnamed = an_oracle:Misnamed
shapeless = an_oracle:Shapeless
unforeseeing = an_oracle:Unforeseeing
broken = an_oracle:broken
keyless = an_oracle:keyless
missing = not_there_at_all:Verifier
llm = an_oracle:Oracle
"""
OTHERS = ("misnamed", "missing", "oracle", "shapeless", "unforeseeing")


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "an_oracle.py").write_text(ORACLE, encoding="utf-8")
    facts = tmp_path / "an_oracle-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: an-oracle\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    yield
    sys.modules.pop("an_oracle", None)


def test_it_is_made_with_the_context_and_asked() -> None:
    given = context()
    oracle = make_verifier("oracle", given)
    assert oracle is not None
    request = VerifierRequest(asked=ASKED, timeout_s=1.0, meter=UnpaidMeter())
    wanted = tuple(ClaimOpinion(number=one.number, verdict="supported") for one in ASKED.claims)
    assert anyio.run(oracle.verify, request) == VerificationReply(opinions=wanted)
    assert vars(oracle) == {"context": given}


@pytest.mark.requirement("ruling:D24")
@pytest.mark.parametrize(("name", "says"), TABLES["one_that_cannot_be_used_is_named_and_nothing_takes_its_place"])
def test_one_that_cannot_be_used_is_named_and_nothing_takes_its_place(name: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says) as caught:
        make_verifier(name, context())
    assert "memory text" not in str(caught.value)
