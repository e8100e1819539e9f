# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# pyright: reportMissingTypeArgument=false, reportArgumentType=false, reportUntypedFunctionDecorator=false
# The library that draws the examples leaves the types of its values and checks open.
"""Whatever is sent, the interface answers as its document says.

The examples are drawn from the document, valid ones and wrong ones, the same at every run; `make soak` draws many more.
"""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CHECKS, load_all_checks

from served import Served, running
from web_door import BEARER, DOCUMENT

_SERVER = Path(__file__).resolve().parents[2] / "fuzzed_server.py"
_EXAMPLES = 4
_CONFIG = schemathesis.Config.from_dict({"generation": {"mode": "all"}})
_SCHEMA = schemathesis.openapi.from_dict(DOCUMENT, config=_CONFIG)

load_all_checks()
_EXCLUDED = {"positive_data_acceptance"}
"""What a text may be is the services' to say: a phrase that names no time is refused, and is a text all the same."""
_CHECKED = [name for name in CHECKS.get_all_names() if name not in _EXCLUDED]
_CHECKS = [CHECKS.get_one(name) for name in _CHECKED]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with running([sys.executable, str(_SERVER), str(tmp_path_factory.mktemp("fuzzed"))]) as it:
        yield it


@pytest.mark.requirement("http:fuzz", "http:operations")
@_SCHEMA.parametrize()
@settings(
    max_examples=_EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_the_document_tells_of(case: schemathesis.Case, server: Served) -> None:
    case.call_and_validate(base_url=server.origin, headers=BEARER, checks=_CHECKS)
