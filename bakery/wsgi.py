"""What gunicorn loads."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
application = get_wsgi_application()

from bakery.checks import refuse_bad_settings  # noqa: E402 (needs the applications loaded)

# 3 tells gunicorn that the worker can't boot; with any other code it would start one after another for ever.
refuse_bad_settings(exit_code=3)
