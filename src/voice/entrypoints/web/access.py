"""Who may come in over HTTP, and how often.

Law: nothing here reads a socket, a clock or chance; `middleware` does, and asks here. A request passes all checks or is
refused by the first that fails, in this order:

1. `Host` names this server (a page that had its own name resolve to this machine sends its own name);
2. `Origin`, where there is one, is this server's own;
3. `Sec-Fetch-Site`, where there is one, is `same-origin` or `none`. `same-site` is refused, too: to a browser every
   port of this machine is one site, and sends the cookie along. A link whose code opens the page may be followed from
   anywhere: whoever has it was given it, and what it is answered with is nobody's but the browser's. So may one whose
   code did: that is said, and nothing else. A code that is neither is a guess from there, too;
4. a token: `Authorization: Bearer`, or the cookie that a link of `voice serve` was exchanged for. Compared in
   constant time. Of the cookies of our name a few are compared, and of more none: each is a guess;
5. with the cookie, what changes something must also say that it comes from this server's own pages: a browser sends
   cookies without being asked.

A link holds a code that opens the page once, and never the token; followed again it leads to the page whoever has
the cookie, and nobody else. What the cookie holds is random and of this run alone: who reads a browser's cookies cannot
speak as a program that was given the token, and nothing of it opens the next run.

Which cookies were found wrong before, by their hashes. What one address tries pushes out nothing of another's, and of
one address goes first what was sent least lately: a browser that keeps sending the cookie of an earlier run stays
known, whatever else is tried meanwhile. Addresses, and what is kept of each, are bounded.

How often somebody may come: a bucket of tokens that fills with time. Pure; the time is an argument. A bucket that is
full again is the same as none, so those may be forgotten.
Source: DESIGN 8 Web; rulings H (the same checks before the MCP endpoint); SECURITY.md.
"""

import hmac
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})  # nothing is changed by these
LINK_PATH = "/"  # a link leads to the first page alone
LINK_PARAMETER = "code"
UPLOAD_PATH = "/import"
"""Where a form brings files, whose body is not read whole before it is acted on."""
MOST_COOKIES = 4
"""Cookies of our name that a request may hold: other servers of this machine may set some, and each is a guess."""
_LEAST_TOKEN = 32  # characters; too many to try one after the other
_OWN_SITES = frozenset({"same-origin", "none"})  # `none`: typed into the address bar, or a bookmark

Refusal = Literal["wrong_host", "wrong_origin", "wrong_site", "unauthorized", "crowded", "forged"]
AdmittedBy = Literal["bearer", "cookie", "link"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one request, and one caller, may take."""

    body_bytes: int = 1_048_576
    body_s: float = 15.0
    """Seconds until a body must have come whole."""
    upload_bytes: int = 268_435_456
    """Of the files of one import, which are written to the disk while they come …"""
    upload_s: float = 900.0
    """… and seconds until they must have come whole."""
    linger_s: float = 1.0
    """Seconds that a body may still come when its request was refused, before the connection ends."""
    header_bytes: int = 16_384
    header_s: float = 10.0
    """Seconds until a request's head must have come whole."""
    idle_s: int = 5
    """Seconds a connection may stay open between two requests."""
    connections: int = 100
    graceful_s: int = 3
    """Seconds that what is under way has to end when the server does."""
    burst: float = 240
    """Requests of one address that are let in at once, and beside them as many that are refused …"""
    per_second: float = 40.0
    """… and how fast it may make more of each."""
    wrong_burst: float = 10
    """Wrong tokens one address may send at once …"""
    wrong_per_second: float = 0.1
    """… and how fast it may send more before it is told to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """What a running server lets in.

    Raises:
        ValueError: token or cookie is too short to withstand guessing, or they are the same.
    """

    token: str = field(repr=False)
    cookie: str = field(repr=False)
    """What the cookie of somebody who came by a link holds; made anew for every run."""
    authorities: frozenset[str]
    """The values of `Host` that name this server: `127.0.0.1:8765`, `localhost:8765`, …; lower case."""
    codes: frozenset[str] = field(default=frozenset(), repr=False)  # a secret is in no repr, so in no log
    """What opens the page once, each: for links."""
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        for secret in (self.token, self.cookie):
            if len(secret) < _LEAST_TOKEN or not secret.isascii():  # a header carries no other characters
                raise ValueError(f"a token must have at least {_LEAST_TOKEN} ASCII characters")
        if self.token == self.cookie:  # else who reads a browser's cookies has the token
            raise ValueError("the cookie must differ from the token")

    @property
    def cookie_name(self) -> str:
        """Return the name of the cookie: of its own for every port, since browsers share cookies between ports."""
        ports = sorted(authority.rpartition(":")[2] for authority in self.authorities if ":" in authority)
        return f"voice_{ports[0]}" if ports else "voice"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestClaims:
    """What a request says of itself, as far as it matters here."""

    method: str
    path: str
    hosts: tuple[str, ...]
    origins: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    authorization: tuple[str, ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    """Names with their values, as they were sent: other servers of this machine set cookies, too, also of this name."""
    link: str | None = None
    """The code in the address, where there is one."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """It may pass, and by what."""

    by: AdmittedBy
    code: str | None = None
    """The code that it spent, where it came by one; None with a link that is spent, from who is signed in already."""
    from_elsewhere: bool = False
    """Whether a browser says that another page, or a file, led there: it sends no cookie along with what follows."""


@dataclass(frozen=True, slots=True)
class Refused:
    """It may not, and why."""

    reason: Refusal
    guessed: bool = False
    """Whether it brought a token, and a wrong one."""
    was_used: bool = False
    """Whether it came by a link that let somebody in before."""
    from_elsewhere: bool = False
    """Whether another page, or a file, led by a used link: it may be that the cookie was there and not sent along."""


def judge(
    claims: RequestClaims, guard: Guard, codes: frozenset[str] = frozenset(), spent: frozenset[str] = frozenset()
) -> Admitted | Refused:
    """Return whether a request may pass; `codes` open the page once and have not yet, `spent` did, and are no guess."""
    if not is_own_host(claims.hosts, guard.authorities):  # first: a page may have rebound a name to this machine
        return Refused("wrong_host")
    if not is_own_origin(claims.origins, guard.authorities):
        return Refused("wrong_origin")
    if not all(site in _OWN_SITES for site in claims.sites):
        return _judge_cross_site(claims, codes, spent)
    return _judge_credentials(claims, guard, codes, spent)


def is_own_host(hosts: tuple[str, ...], authorities: frozenset[str]) -> bool:
    """Return whether there is one `Host`, and it is this server's."""
    return len(hosts) == 1 and hosts[0].lower() in authorities


def is_own_origin(origins: tuple[str, ...], authorities: frozenset[str]) -> bool:
    """Return whether every `Origin` that was sent (a program sends none) is this server's; `null` is nobody's."""
    own = {f"http://{authority}" for authority in authorities}  # served over plain HTTP, on this machine
    return all(origin.lower() in own for origin in origins)


def is_own_page(claims: RequestClaims) -> bool:
    """Return whether a browser says that one of this server's own pages sent the request; both were checked before."""
    return bool(claims.origins) or "same-origin" in claims.sites  # older browsers send `Origin` alone


def bearer_of(authorization: tuple[str, ...]) -> str | None:
    """Return the token of an `Authorization` header: None where there is none, empty where it holds none."""
    if not authorization:
        return None
    scheme, _, token = authorization[0].partition(" ")  # "Bearer abc"; several headers are none
    return token.strip() if len(authorization) == 1 and scheme.lower() == "bearer" else ""


def cookies_tried(claims: RequestClaims, guard: Guard, verdict: Refused) -> tuple[str, ...]:
    """Return the cookies that alone made a refused request a guess; none where it brought a token or a code."""
    if claims.authorization or (claims.link is not None and not verdict.was_used):  # a used link is no guess
        return ()
    return _own_cookies(claims, guard)


def is_same(candidate: str, secret: str) -> bool:
    """Return whether two secrets are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(candidate.encode("utf-8", "surrogatepass"), secret.encode())  # any bytes may come


def _own_cookies(claims: RequestClaims, guard: Guard) -> tuple[str, ...]:
    return tuple(value for name, value in claims.cookies if name == guard.cookie_name)


def _judge_credentials(
    claims: RequestClaims, guard: Guard, codes: frozenset[str], spent: frozenset[str]
) -> Admitted | Refused:
    if (bearer := bearer_of(claims.authorization)) is not None:  # judged by the token alone, whatever came along
        return Admitted("bearer") if is_same(bearer, guard.token) else Refused("unauthorized", guessed=True)
    cookies = _own_cookies(claims, guard)
    if len(cookies) > MOST_COOKIES:  # before any is compared
        return Refused("crowded")
    is_signed_in = any(is_same(cookie, guard.cookie) for cookie in cookies)
    if claims.link is not None and claims.method == "GET" and claims.path == LINK_PATH:  # a form brings no code
        if not is_signed_in and _is_known_code(claims.link, spent):  # with the cookie a used link still leads in
            return Refused("unauthorized", guessed=bool(cookies), was_used=True)
        return _judge_link(claims.link, codes, is_signed_in=is_signed_in)
    if not is_signed_in:
        return Refused("unauthorized", guessed=bool(cookies))  # without a cookie nothing was guessed
    if claims.method not in SAFE_METHODS and not is_own_page(claims):
        return Refused("forged")
    return Admitted("cookie")


def _judge_cross_site(claims: RequestClaims, codes: frozenset[str], spent: frozenset[str]) -> Admitted | Refused:
    """Return whether what another page led to may pass: a link that opens the page, and nothing else."""
    if claims.link is None or claims.method != "GET" or claims.path != LINK_PATH:  # nothing but a link may
        return Refused("wrong_site")
    if _is_known_code(claims.link, spent):
        return Refused("unauthorized", was_used=True, from_elsewhere=True)
    verdict = _judge_link(claims.link, codes, is_signed_in=False)
    if isinstance(verdict, Refused):  # its code was a guess
        return Refused("wrong_site", guessed=True)
    return replace(verdict, from_elsewhere=True)  # a redirect from here would still be cross-site


def _is_known_code(code: str, codes: frozenset[str]) -> bool:
    return any(is_same(code, each) for each in codes)  # each is compared in constant time


def _judge_link(link: str, codes: frozenset[str], *, is_signed_in: bool) -> Admitted | Refused:
    """Return whether a link lets in: by its code, or, where that opens nothing, because the cookie does."""
    if _is_known_code(link, codes):
        return Admitted("link", code=link)
    return Admitted("link") if is_signed_in else Refused("unauthorized", guessed=True)


_ADDRESSES = 1_024  # callers that are remembered
_COOKIES_OF_ONE = 256  # of one address, known again: it may try a few at once, then few in a minute


class FailedCookies:
    """Wrong cookies, by who sent them."""

    def __init__(self) -> None:
        self._by_address: OrderedDict[str, OrderedDict[bytes, None]] = OrderedDict()  # the least lately seen first

    def has_all(self, address: str, cookies: Sequence[str]) -> bool:
        """Return whether an address sent cookies, and each of them before; those count as sent just now."""
        known = self._by_address.get(address)
        hashes = _hashes(cookies)
        if known is None or not hashes or any(each not in known for each in hashes):  # a new one is a guess
            return False
        self._remember(address, hashes)
        return True

    def add(self, address: str, cookies: Sequence[str]) -> None:
        """Take note of the wrong cookies that an address sent."""
        if cookies:
            self._remember(address, _hashes(cookies))

    def _remember(self, address: str, hashes: Sequence[bytes]) -> None:
        known = self._by_address.setdefault(address, OrderedDict())
        self._by_address.move_to_end(address)  # what still comes is kept
        for each in hashes:
            known[each] = None
            known.move_to_end(each)
        while len(known) > _COOKIES_OF_ONE:
            known.popitem(last=False)
        while len(self._by_address) > _ADDRESSES:
            self._by_address.popitem(last=False)


def _hashes(cookies: Sequence[str]) -> list[bytes]:
    return [sha256(each.encode("utf-8", "surrogatepass")).digest() for each in cookies]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How much fits into a bucket, and how fast it fills."""

    burst: float
    per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """What was left at a moment."""

    level: float
    at: float
    """Seconds on a clock that only goes forward."""


def level_of(bucket: Bucket | None, rate: Rate, now: float) -> float:
    """Return what is in a bucket now; one that nobody took from is full."""
    if bucket is None:
        return rate.burst
    return min(rate.burst, bucket.level + max(0.0, now - bucket.at) * rate.per_second)  # no time runs backwards


def take_token(bucket: Bucket | None, rate: Rate, now: float) -> tuple[Bucket, float]:
    """Return a bucket after one was taken, and the seconds to wait, 0 where there was one; who waits takes nothing."""
    level = level_of(bucket, rate, now)
    if level < 1:
        return Bucket(level=level, at=now), (1 - level) / rate.per_second  # what was left stays, and goes on filling
    return Bucket(level=level - 1, at=now), 0.0
