"""The Content-Security-Policy of every page, and what staff's pages may be asked."""

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


def storable_query(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Middleware: takes NUL, which no text column can be asked for, out of the queries of staff's lists."""

    def respond(request: HttpRequest) -> HttpResponse:
        if request.path.startswith(_STAFF_PATHS):
            request.META["QUERY_STRING"] = request.META.get("QUERY_STRING", "").replace("%00", "")
        return get_response(request)

    return respond
