"""Users and groups in the look of the rest."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(DjangoUserAdmin[User], ModelAdmin):
    """People who may sign in. What they may do comes from their groups."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "first_name", "last_name", "is_active", "is_staff", "last_login")


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    """Roles; `manage.py sync_roles` makes the four that come with the desk."""
