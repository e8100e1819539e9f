"""What looks like a credential, and what does not.

Every key here is made up: the parts are put together so that no scanner takes this file for a leak.
"""

import pytest

from tables import tables
from voice.core.capture.message_filter import looks_like_secret

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("capture:secrets")
DRAWN = "Kq7" + "Zt2Lm9Xw4Rb8Vn3Yc6Hd1Pj5"


@pytest.mark.parametrize(
    "text",
    [
        "use " + "ghp_" + "a" * 36,
        "sk-" + "ant-api03-" + "abcd" * 8,
        "the id is " + "AKIA" + "Q3EXAMPLEKEY7777",
        "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
        "postgres://irma:" + "geheim7@db.example.org/x",
        "Authorization: Bearer " + "abcdef0123456789abcdef",
        "ey" + "JhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
        "DB_PASSWORD=" + "hunter2hunter",
        '"client_secret": "' + "abc123def456" + '"',
        "api-key := " + "a1b2c3d4e5f6",
        f"It is {DRAWN}.",
        f"export X='{DRAWN}'",
    ],
)
def test_a_secret_is_seen(text: str) -> None:
    assert looks_like_secret(text)


@pytest.mark.parametrize("text", TABLES["ordinary_talk_of_code_is_not_taken_for_one"])
def test_ordinary_talk_of_code_is_not_taken_for_one(text: str) -> None:
    assert not looks_like_secret(text)
    assert looks_like_secret(f"{text} {DRAWN}")
