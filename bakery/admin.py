"""Users and groups in the look of the rest."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

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
    list_display = ("username", "first_name", "last_name", "is_active", "is_staff", "last_login")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        people = super().get_queryset(request)
        return people if request.user.is_superuser else people.filter(is_superuser=False)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return fixed if request.user.is_superuser else (*fixed, "is_superuser", "user_permissions")


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    """Roles; `manage.py sync_roles` makes the four that come with the desk."""
