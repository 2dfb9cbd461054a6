"""The Content-Security-Policy of every page."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

_POLICY = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
# Unfold's Alpine.js compiles the attributes of its own templates, and both it and the API pages style inline.
_STAFF_POLICY = _POLICY | {
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
}
_STAFF_PATHS = ("/admin/", "/api/docs")


def content_security_policy(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Middleware: strict on the pages customers see, looser only where staff are signed in."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        policy = _STAFF_POLICY if request.path.startswith(_STAFF_PATHS) else _POLICY
        header = "; ".join(f"{name} {value}" for name, value in policy.items())
        response.headers.setdefault("Content-Security-Policy", header)
        return response

    return respond
