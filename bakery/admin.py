"""Users and groups in the look of the rest."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.forms import ModelMultipleChoiceField
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from bakery.roles import ROLES

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(DjangoUserAdmin[User], ModelAdmin):
    """People who may sign in. What they may do comes from their groups.

    Superusers run the installation: the shop's own people neither see those
    accounts nor make one, or each permission would be as good as all.
    """

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "first_name", "last_name", "roles", "is_active", "is_staff", "last_login")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        people = super().get_queryset(request).prefetch_related("groups")
        return people if request.user.is_superuser else people.filter(is_superuser=False)

    @display(description=gettext_lazy("roles"))
    def roles(self, row: User) -> str:
        return ", ".join(map(role_title, row.groups.all()))

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return fixed if request.user.is_superuser else (*fixed, "is_superuser", "user_permissions")

    def formfield_for_manytomany(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> ModelMultipleChoiceField[Any] | None:
        field = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field is not None and db_field.name == "groups":
            field.label_from_instance = role_title  # type: ignore[assignment, method-assign]
        return field


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    """Roles; `manage.py sync_roles` makes the four that come with the desk."""

    list_display = ("role",)

    @display(description=gettext_lazy("role"), ordering="name")
    def role(self, row: Group) -> str:
        return role_title(row)


def role_title(role: Group) -> str:
    """The desk's own roles in the active language, other groups as they are called."""
    return _(role.name) if role.name in ROLES else role.name
