"""The shop's name, for pages of packages that know no shop."""

from django.utils.translation import gettext as _

from orders.models import Shop


def shop_name() -> str:
    """What the menu file calls the shop; a general word before one is loaded."""
    return Shop.objects.values_list("name", flat=True).first() or _("Orders")
