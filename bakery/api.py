"""The two Ninja roots: staff's API, closed by default, and the webhooks, closed by signature."""

from django.contrib.admin.views.decorators import staff_member_required
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.security import SessionAuth

from aitools.api import router as webhooks_router


class StaffSession(SessionAuth):
    """Signed in on the admin, with the cookie's CSRF token on every request that writes."""

    def authenticate(self, request: HttpRequest, key: str | None) -> object | None:
        """The user when they are active staff, else None: the answer is 401."""
        user = request.user
        return user if user.is_authenticated and user.is_active and user.is_staff else None


api = NinjaAPI(
    title="Bakery desk",
    version="1",
    auth=StaffSession(),
    urls_namespace="api",
    docs_decorator=staff_member_required,
)

webhooks = NinjaAPI(title="Webhooks", urls_namespace="webhooks", docs_url=None, openapi_url=None)
webhooks.add_router("", webhooks_router)


@webhooks.exception_handler(OperationalError)
@webhooks.exception_handler(InterfaceError)
def _come_again(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """503 while the database is away or full: nothing was stored, so the vendor has to send it again."""
    return HttpResponse(status=503, headers={"Retry-After": "5"})
