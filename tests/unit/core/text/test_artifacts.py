"""Files and commits that a text names."""

import pytest

from voice.core.text.artifacts import artifacts_in

pytestmark = pytest.mark.requirement("capture:checked")
SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("I fixed src/voice/a.py and README.md.", ["src/voice/a.py", "README.md"]),
        ("See `core/vouch`, ./run and ../b, /etc/hosts, ~/x.", ["core/vouch", "./run", "../b", "/etc/hosts", "~/x"]),
        ("In a.py:12, b.py:3-9 and c.py#L7.", ["a.py", "b.py", "c.py"]),
        ("All of docs/ is new; .github/workflows/ci.yml too, and x/.gitignore.",
         ["docs/", ".github/workflows/ci.yml", "x/.gitignore"]),
        ("a.py, a.py and again a.py", ["a.py"]),
        (f"Committed 1a2b3c4 ({SHA}).", ["1a2b3c4", SHA]),
        ("The 1234567 rows, the facade, deadbeef and 1A2B3C4.", []),
        ("Yes and/or no, 24/7, w/o client/server and v1.2/3.4.", []),
        ("https://example.org/a.py and irma@example.org/x.py", []),
        ("Node.js and Next.js, e.g. voice.core.text, std::vector/x.h", []),
        ("...", []),
        ("// ./ ~/", []),
        (f"{'a' * 500}.py", []),
    ],
)  # fmt: skip
def test_they_are_known_by_their_form(text: str, named: list[str]) -> None:
    assert list(artifacts_in(text)) == named
