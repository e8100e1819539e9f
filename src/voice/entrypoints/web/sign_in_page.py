"""The pages for a browser that is not let in, or not answered.

Law: they show nothing of a memory and load nothing, for nothing is served without a token, a style sheet no more than
anything else. Their few lines of style stand inside them; the policy they are sent with lets in exactly these, by their
hash, and is otherwise narrower than that of every other page.
Source: DESIGN 8 Web (strict CSP); CSP 3, hash sources.
"""

import re
from base64 import b64encode
from hashlib import sha256
from html import escape

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from voice.entrypoints.web.access import LINK_PATH, Refused
from voice.entrypoints.web.responses import API_PATH, CONTENT_SECURITY_POLICY, Problem, openai_answer, speaks_openai

_WANTS_PAGE = re.compile(r"\btext/html\b")
_SCOPE_KEY = "voice.doorstep"  # marks a request whose answer is such a page
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 2rem;
  font: 1rem/1.55 system-ui, sans-serif;
  color: light-dark(#1f1c18, #ebe6dd); background: light-dark(#faf8f4, #171614); }
main { max-width: 34rem; border-top: 3px solid light-dark(#1a5b57, #84cbc2); padding-top: 1.5rem; }
h1 { margin: 0 0 0.75rem; font: 500 1.75rem/1.2 Palatino, Georgia, serif; text-wrap: balance; }
p { margin: 0 0 0.75rem; color: light-dark(#554f46, #bdb5a8); }
code { font: 0.9em ui-monospace, Menlo, monospace; }
"""
_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()  # of the very bytes between the tags
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
_PAGE = (  # nothing to load: its style stands inside
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>voice</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style>{more}</head>'
    "<body><main><h1>{title}</h1>{words}</main></body></html>\n"
)
_SIGN_IN_TITLE = "Open the link that <code>voice serve</code> printed"
_LINK_ADVICE = (
    "<p>A link opens this memory once, in one browser, until the server stops. "
    "Use the last link in the terminal of <code>voice serve</code>.</p>"
)
_USED_TITLE = "This link was already used"
_USED_ADVICE = (
    "<p>A link opens this memory once, in one browser. <code>voice serve</code> printed the next one in its terminal. "
    "Open that link here.</p>"
)
_REDIRECT_TITLE = "The memory is open in this browser"
_REDIRECT_LINK = f'<p><a href="{LINK_PATH}">Open the memory</a></p>'
_ENTER_ADVICE = f'<p>If you used the link in this browser, <a href="{LINK_PATH}">open the memory</a>.</p>'
# No referrer: the address before held the code.
_REDIRECT_HEAD = f'<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={LINK_PATH}">'


def wants_page(scope: Scope) -> bool:
    """Return whether who asks wants to be answered with a page; what is asked of the interface never is."""
    if scope["type"] != "http" or str(scope["path"]).startswith(f"{API_PATH}/") or speaks_openai(scope):
        return False
    return _WANTS_PAGE.search(Headers(scope=scope).get("accept", "")) is not None


def program_response(problem: Problem, scope: Scope) -> Response:
    """Return a problem as programs read it: those that speak OpenAI's interface, and all others."""
    return openai_answer(problem) if speaks_openai(scope) else problem.response()


def problem_response(
    problem: Problem, scope: Scope, *, is_out: bool = False, verdict: Refused | None = None
) -> Response:
    """Return a problem as whoever asks wants it: a browser as a page, anybody else as it is.

    A page marks the request, so that it goes out under `POLICY`.

    Args:
        is_out: whether who asks was not let in, and is told how one comes in.
        verdict: why it was not let in, where that is why: who came by a used link is told so.
    """
    if not wants_page(scope):
        return program_response(problem, scope)
    scope[_SCOPE_KEY] = True
    title, words = escape(problem.title), f"<p>{escape(problem.detail)}</p>"  # escaped: a detail may repeat an address
    if is_out:
        words += _LINK_ADVICE
    if problem.code == "unauthorized":
        title, words = (_USED_TITLE, _USED_ADVICE) if verdict and verdict.was_used else (_SIGN_IN_TITLE, _LINK_ADVICE)
    if verdict and verdict.from_elsewhere:
        words += _ENTER_ADVICE  # it was not sent along: a step from here sends it
    page = _PAGE.format(title=title, style=_STYLE, words=words, more="")
    return Response(page, problem.status, headers=dict(problem.headers), media_type="text/html")


def redirect_page(scope: Scope) -> Response:
    """Return a page that leads to the first page by itself, for a browser that another page or a file led here.

    To a browser a redirect is still a part of what the other page asked for, and it sends no `SameSite=Strict` cookie
    along; from a page of this server it does.
    """
    scope[_SCOPE_KEY] = True
    page = _PAGE.format(title=_REDIRECT_TITLE, style=_STYLE, words=_REDIRECT_LINK, more=_REDIRECT_HEAD)
    return Response(page, media_type="text/html")


def policy_of(scope: Scope) -> str:
    """Return the policy that an answer goes out under: that of every answer, but for the page that is made here."""
    return POLICY if scope.get(_SCOPE_KEY) else CONTENT_SECURITY_POLICY
