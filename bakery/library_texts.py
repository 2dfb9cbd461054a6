"""Texts of the admin's library, which ships no Spanish: named here so that our catalogue has them.

Nothing uses these values. Django looks a library's own texts up in our
catalogue first, by the same English words.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

TEXTS = (
    _("After you've created a user, you’ll be able to edit more user options."),
    _("All applications"),
    _("Apply Filters"),
    _("Cancel"),
    _("Choose file to upload"),
    _("Click to cancel"),
    _("Click to download"),
    _("Dark"),
    _("Date"),
    _("Date from"),
    _("Date to"),
    _("Expand row"),
    _("False"),
    _("Filters"),
    _("Forgotten your password or username?"),
    _("General"),
    _("Go back"),
    _("Image preview"),
    _("Light"),
    _("Loading more results..."),
    _("More actions"),
    _("Next"),
    _("No data"),
    _("No results found"),
    _("No results matching your query"),
    _("Previous"),
    _("Record picture"),
    _("Reset filters"),
    _("Return to site"),
    _("Run"),
    _("Select action"),
    _("Select action to run"),
    _("Select all rows"),
    _("Select record"),
    _("Select value"),
    _("Submit"),
    _("System"),
    _("This item will be deleted."),
    _("This page yielded into no results. Create a new item or reset your filters."),
    _("Toggle password visibility"),
    _("True"),
    _("Type to search"),
    _("Value"),
    _("Welcome"),
    _("You have been successfully logged out from the administration"),
)
