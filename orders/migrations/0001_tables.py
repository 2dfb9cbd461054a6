from decimal import Decimal

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

import aitools.clock
import orders.models.shop


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("aitools", "0002_tables"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Category",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=80,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*$", "Use lower-case letters, digits and hyphens."
                            )
                        ],
                        verbose_name="key",
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                ("active", models.BooleanField(default=True, verbose_name="active")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="position")),
            ],
            options={
                "verbose_name": "category",
                "verbose_name_plural": "categories",
                "ordering": ["position", "id"],
            },
        ),
        migrations.CreateModel(
            name="Customer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(blank=True, max_length=120, verbose_name="name")),
                ("phone", models.CharField(blank=True, db_index=True, max_length=20, verbose_name="phone")),
                ("blocked", models.BooleanField(default=False, verbose_name="blocked")),
                ("staff_note", models.TextField(blank=True, verbose_name="note of the staff")),
                (
                    "created_at",
                    models.DateTimeField(db_default=aitools.clock.DbNow(), editable=False, verbose_name="since"),
                ),
            ],
            options={
                "verbose_name": "customer",
                "verbose_name_plural": "customers",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="OptionList",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=80,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*$", "Use lower-case letters, digits and hyphens."
                            )
                        ],
                        verbose_name="key",
                    ),
                ),
                ("name", models.CharField(help_text="What customers see.", max_length=120, verbose_name="name")),
                ("active", models.BooleanField(default=True, verbose_name="active")),
            ],
            options={
                "verbose_name": "option list",
                "verbose_name_plural": "option lists",
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="Branch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=80,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*$", "Use lower-case letters, digits and hyphens."
                            )
                        ],
                        verbose_name="key",
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="also called",
                    ),
                ),
                (
                    "letter",
                    models.CharField(
                        max_length=1,
                        validators=[django.core.validators.RegexValidator("^[A-Z]$")],
                        verbose_name="letter of its order numbers",
                    ),
                ),
                (
                    "timezone",
                    models.CharField(
                        max_length=60, validators=[orders.models.shop.validate_timezone], verbose_name="time zone"
                    ),
                ),
                ("address", models.CharField(blank=True, max_length=240, verbose_name="address")),
                (
                    "pickup_lead_minutes",
                    models.PositiveIntegerField(default=15, verbose_name="pick-up after (minutes)"),
                ),
                (
                    "slot_minutes",
                    models.PositiveSmallIntegerField(
                        choices=[(5, 5), (10, 10), (15, 15), (20, 20), (30, 30), (60, 60)],
                        default=15,
                        verbose_name="pick-up times every (minutes)",
                    ),
                ),
                (
                    "orders_per_slot",
                    models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="orders per time"),
                ),
                ("delivers", models.BooleanField(default=False, verbose_name="delivers")),
                (
                    "delivery_lead_minutes",
                    models.PositiveIntegerField(default=60, verbose_name="delivery after (minutes)"),
                ),
                (
                    "delivery_min_order",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(Decimal(0))],
                        verbose_name="smallest delivery",
                    ),
                ),
                ("paused_until", models.DateTimeField(blank=True, null=True, verbose_name="paused until")),
                ("active", models.BooleanField(default=True, verbose_name="active")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="position")),
            ],
            options={
                "verbose_name": "branch",
                "verbose_name_plural": "branches",
                "ordering": ["position", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("active", True)), fields=("letter",), name="branch_letter_unique"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("slot_minutes__in", (5, 10, 15, 20, 30, 60))), name="branch_slot_minutes"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("epoch", models.PositiveIntegerField(verbose_name="epoch")),
                ("lines", models.JSONField(default=list, verbose_name="lines")),
                ("pickup_at", models.DateTimeField(blank=True, null=True, verbose_name="pick-up")),
                ("name", models.CharField(blank=True, max_length=120, verbose_name="name")),
                ("note", models.CharField(blank=True, max_length=300, verbose_name="note")),
                ("expires_at", models.DateTimeField(verbose_name="kept until")),
                (
                    "branch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="orders.branch",
                        verbose_name="branch",
                    ),
                ),
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="order_draft",
                        to="aitools.conversation",
                        verbose_name="conversation",
                    ),
                ),
            ],
            options={
                "verbose_name": "draft",
                "verbose_name_plural": "drafts",
            },
        ),
        migrations.CreateModel(
            name="MenuVersion",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("token", models.UUIDField()),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="menu_version_is_one_row")],
            },
        ),
        migrations.CreateModel(
            name="Option",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=80,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*$", "Use lower-case letters, digits and hyphens."
                            )
                        ],
                        verbose_name="key",
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="also called",
                    ),
                ),
                (
                    "price_delta",
                    models.DecimalField(decimal_places=2, default=0, max_digits=14, verbose_name="added price"),
                ),
                (
                    "sold_out_on",
                    models.DateField(blank=True, help_text="Only that day.", null=True, verbose_name="sold out on"),
                ),
                ("active", models.BooleanField(default=True, verbose_name="active")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="position")),
                (
                    "list",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="options",
                        to="orders.optionlist",
                        verbose_name="option list",
                    ),
                ),
            ],
            options={
                "verbose_name": "option",
                "verbose_name_plural": "options",
                "ordering": ["list", "position", "id"],
            },
        ),
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.CharField(max_length=6, unique=True, verbose_name="code")),
                ("business_date", models.DateField(verbose_name="day")),
                ("day_no", models.PositiveIntegerField(verbose_name="number of the day")),
                ("name", models.CharField(max_length=120, verbose_name="for")),
                ("channel", models.CharField(max_length=40, verbose_name="channel")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("accepted", "accepted"),
                            ("preparing", "in preparation"),
                            ("ready", "ready"),
                            ("picked_up", "picked up"),
                            ("no_show", "not picked up"),
                            ("cancelled", "cancelled"),
                        ],
                        default="accepted",
                        max_length=12,
                        verbose_name="state",
                    ),
                ),
                ("due_at", models.DateTimeField(verbose_name="pick-up")),
                ("currency", models.CharField(max_length=3, verbose_name="currency")),
                ("subtotal", models.DecimalField(decimal_places=2, max_digits=14, verbose_name="subtotal")),
                ("tax", models.DecimalField(decimal_places=2, max_digits=14, verbose_name="tax")),
                ("prices_include_tax", models.BooleanField(verbose_name="prices include tax")),
                ("total", models.DecimalField(decimal_places=2, max_digits=14, verbose_name="total")),
                ("note", models.CharField(blank=True, max_length=300, verbose_name="note")),
                ("cancel_reason", models.CharField(blank=True, max_length=200, verbose_name="cancelled because")),
                ("version", models.PositiveIntegerField(default=1, verbose_name="version")),
                ("created_at", models.DateTimeField(db_default=aitools.clock.DbNow(), verbose_name="ordered at")),
                (
                    "branch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="orders",
                        to="orders.branch",
                        verbose_name="branch",
                    ),
                ),
                (
                    "customer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="orders",
                        to="orders.customer",
                        verbose_name="customer",
                    ),
                ),
                (
                    "taken_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="taken by",
                    ),
                ),
                (
                    "tool_call",
                    models.OneToOneField(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="order",
                        to="aitools.toolcall",
                        verbose_name="tool call",
                    ),
                ),
            ],
            options={
                "verbose_name": "order",
                "verbose_name_plural": "orders",
                "ordering": ["-id"],
                "permissions": [
                    ("see_money", "Can see amounts and reports"),
                    ("prepare_order", "Can start orders and mark them ready"),
                ],
            },
        ),
        migrations.CreateModel(
            name="OrderEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=aitools.clock.DbNow(), verbose_name="at")),
                (
                    "actor",
                    models.CharField(
                        choices=[("customer", "customer"), ("staff", "staff"), ("system", "system")],
                        max_length=10,
                        verbose_name="by",
                    ),
                ),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("placed", "placed"),
                            ("changed", "changed"),
                            ("state", "moved on"),
                            ("cancelled", "cancelled"),
                        ],
                        max_length=10,
                        verbose_name="what",
                    ),
                ),
                ("before", models.JSONField(blank=True, null=True, verbose_name="before")),
                ("after", models.JSONField(blank=True, null=True, verbose_name="after")),
                (
                    "order",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="orders.order",
                        verbose_name="order",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "order event",
                "verbose_name_plural": "order events",
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="OrderLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField(verbose_name="position")),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                ("variant_name", models.CharField(blank=True, max_length=120, verbose_name="variant")),
                ("quantity", models.PositiveIntegerField(verbose_name="quantity")),
                ("unit_price", models.DecimalField(decimal_places=2, max_digits=14, verbose_name="unit price")),
                ("pack_size", models.PositiveIntegerField(blank=True, null=True, verbose_name="pieces in one")),
                ("note", models.CharField(blank=True, max_length=200, verbose_name="note")),
                ("tax_rate", models.DecimalField(decimal_places=2, max_digits=5, verbose_name="tax (%)")),
                ("line_total", models.DecimalField(decimal_places=2, max_digits=14, verbose_name="total")),
                (
                    "order",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="lines",
                        to="orders.order",
                        verbose_name="order",
                    ),
                ),
            ],
            options={
                "verbose_name": "order line",
                "verbose_name_plural": "order lines",
                "ordering": ["order", "position"],
            },
        ),
        migrations.CreateModel(
            name="OrderLineOption",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("list_name", models.CharField(max_length=120, verbose_name="option list")),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                ("price_delta", models.DecimalField(decimal_places=2, max_digits=14, verbose_name="added price")),
                (
                    "line",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="options",
                        to="orders.orderline",
                        verbose_name="order line",
                    ),
                ),
                (
                    "option",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="order_lines",
                        to="orders.option",
                        verbose_name="option",
                    ),
                ),
            ],
            options={
                "verbose_name": "chosen option",
                "verbose_name_plural": "chosen options",
                "ordering": ["line", "id"],
            },
        ),
        migrations.CreateModel(
            name="Product",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=80,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*$", "Use lower-case letters, digits and hyphens."
                            )
                        ],
                        verbose_name="key",
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                ("description", models.TextField(blank=True, verbose_name="description")),
                (
                    "price",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        help_text="Empty if it has variants.",
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(Decimal(0))],
                        verbose_name="price",
                    ),
                ),
                ("tax_rate", models.DecimalField(decimal_places=2, default=0, max_digits=5, verbose_name="tax (%)")),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120),
                        blank=True,
                        default=list,
                        help_text="Words customers use, by commas.",
                        size=None,
                        verbose_name="also called",
                    ),
                ),
                ("unit_label", models.CharField(blank=True, max_length=40, verbose_name="sold by")),
                ("pack_size", models.PositiveIntegerField(blank=True, null=True, verbose_name="pieces in one")),
                (
                    "min_quantity",
                    models.PositiveIntegerField(
                        default=1,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="smallest quantity",
                    ),
                ),
                ("max_quantity", models.PositiveIntegerField(blank=True, null=True, verbose_name="largest quantity")),
                (
                    "quantity_step",
                    models.PositiveIntegerField(
                        default=1, validators=[django.core.validators.MinValueValidator(1)], verbose_name="in steps of"
                    ),
                ),
                ("lead_minutes", models.PositiveIntegerField(default=0, verbose_name="ready after (minutes)")),
                (
                    "deposit_percent",
                    models.DecimalField(
                        blank=True, decimal_places=2, max_digits=5, null=True, verbose_name="deposit (%)"
                    ),
                ),
                ("note_label", models.CharField(blank=True, max_length=80, verbose_name="asks for a text")),
                ("note_max", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="longest text")),
                (
                    "allergens",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40),
                        blank=True,
                        help_text="Empty list: declared free of them. No list: not declared.",
                        null=True,
                        size=None,
                        verbose_name="allergens",
                    ),
                ),
                ("daily_stock", models.PositiveIntegerField(blank=True, null=True, verbose_name="most per day")),
                (
                    "sold_out",
                    models.BooleanField(
                        default=False, help_text="Until somebody changes it back.", verbose_name="sold out"
                    ),
                ),
                (
                    "sold_out_on",
                    models.DateField(blank=True, help_text="Only that day.", null=True, verbose_name="sold out on"),
                ),
                ("active", models.BooleanField(default=True, verbose_name="active")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="position")),
                (
                    "category",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="products",
                        to="orders.category",
                        verbose_name="category",
                    ),
                ),
            ],
            options={
                "verbose_name": "product",
                "verbose_name_plural": "products",
                "ordering": ["position", "id"],
            },
        ),
        migrations.AddField(
            model_name="orderline",
            name="product",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="order_lines",
                to="orders.product",
                verbose_name="product",
            ),
        ),
        migrations.CreateModel(
            name="DayStock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("date", models.DateField(verbose_name="date")),
                ("taken", models.PositiveIntegerField(default=0, verbose_name="taken")),
                (
                    "branch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="orders.branch", verbose_name="branch"
                    ),
                ),
                (
                    "product",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="orders.product", verbose_name="product"
                    ),
                ),
            ],
            options={
                "verbose_name": "stock of a day",
                "verbose_name_plural": "stock of days",
            },
        ),
        migrations.CreateModel(
            name="Availability",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "weekdays",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveSmallIntegerField(
                            choices=[
                                (0, "Monday"),
                                (1, "Tuesday"),
                                (2, "Wednesday"),
                                (3, "Thursday"),
                                (4, "Friday"),
                                (5, "Saturday"),
                                (6, "Sunday"),
                            ]
                        ),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="weekdays",
                    ),
                ),
                ("from_time", models.TimeField(blank=True, null=True, verbose_name="from")),
                ("to_time", models.TimeField(blank=True, null=True, verbose_name="until")),
                ("from_date", models.DateField(blank=True, null=True, verbose_name="first day")),
                ("to_date", models.DateField(blank=True, null=True, verbose_name="last day")),
                (
                    "branch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="orders.branch",
                        verbose_name="branch",
                    ),
                ),
                (
                    "product",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="availabilities",
                        to="orders.product",
                        verbose_name="product",
                    ),
                ),
            ],
            options={
                "verbose_name": "availability",
                "verbose_name_plural": "availabilities",
                "ordering": ["product", "id"],
            },
        ),
        migrations.CreateModel(
            name="ProductOptions",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "min",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="1 or more: must be chosen.", verbose_name="at least"
                    ),
                ),
                ("max", models.PositiveSmallIntegerField(default=1, verbose_name="at most")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="position")),
                (
                    "list",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uses",
                        to="orders.optionlist",
                        verbose_name="option list",
                    ),
                ),
                (
                    "product",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="option_lists",
                        to="orders.product",
                        verbose_name="product",
                    ),
                ),
            ],
            options={
                "verbose_name": "options of a product",
                "verbose_name_plural": "options of products",
                "ordering": ["product", "position", "id"],
            },
        ),
        migrations.CreateModel(
            name="Shop",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                (
                    "key",
                    models.CharField(
                        default="shop",
                        max_length=80,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*$", "Use lower-case letters, digits and hyphens."
                            )
                        ],
                        verbose_name="key",
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                ("country", models.CharField(blank=True, max_length=2, verbose_name="country")),
                ("locale", models.CharField(default="es-CO", max_length=20, verbose_name="locale")),
                ("currency", models.CharField(default="COP", max_length=3, verbose_name="currency")),
                ("minor_digits", models.PositiveSmallIntegerField(default=2, verbose_name="decimals of an amount")),
                ("prices_include_tax", models.BooleanField(default=True, verbose_name="prices include tax")),
                (
                    "cash_rounding",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(Decimal(0))],
                        verbose_name="cash is rounded to",
                    ),
                ),
                (
                    "timezone",
                    models.CharField(
                        default="America/Bogota",
                        max_length=60,
                        validators=[orders.models.shop.validate_timezone],
                        verbose_name="time zone",
                    ),
                ),
                (
                    "deposit_percent",
                    models.DecimalField(decimal_places=2, default=0, max_digits=5, verbose_name="deposit (%)"),
                ),
                (
                    "change_cutoff_minutes",
                    models.PositiveIntegerField(default=0, verbose_name="changes until (minutes before)"),
                ),
                (
                    "cancel_cutoff_minutes",
                    models.PositiveIntegerField(default=0, verbose_name="cancellations until (minutes before)"),
                ),
                (
                    "max_days_ahead",
                    models.PositiveSmallIntegerField(default=30, verbose_name="orders at most (days ahead)"),
                ),
                ("draft_minutes", models.PositiveIntegerField(default=240, verbose_name="a draft is kept (minutes)")),
                (
                    "payment_methods",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="payment methods",
                    ),
                ),
            ],
            options={
                "verbose_name": "shop",
                "verbose_name_plural": "shop",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="shop_is_one_row"),
                    models.CheckConstraint(condition=models.Q(("minor_digits__lte", 2)), name="shop_minor_digits"),
                    models.CheckConstraint(
                        condition=models.Q(("deposit_percent__gte", 0), ("deposit_percent__lte", 100)),
                        name="shop_deposit_percent",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SpecialDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("date", models.DateField(verbose_name="date")),
                ("opens", models.TimeField(blank=True, null=True, verbose_name="opens")),
                ("closes", models.TimeField(blank=True, null=True, verbose_name="closes")),
                ("note", models.CharField(blank=True, max_length=120, verbose_name="note")),
                (
                    "branch",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: all branches.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="special_days",
                        to="orders.branch",
                        verbose_name="branch",
                    ),
                ),
            ],
            options={
                "verbose_name": "special day",
                "verbose_name_plural": "special days",
                "ordering": ["date", "opens"],
            },
        ),
        migrations.CreateModel(
            name="Variant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=80,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*$", "Use lower-case letters, digits and hyphens."
                            )
                        ],
                        verbose_name="key",
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                (
                    "price",
                    models.DecimalField(
                        decimal_places=2,
                        max_digits=14,
                        validators=[django.core.validators.MinValueValidator(Decimal(0))],
                        verbose_name="price",
                    ),
                ),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="also called",
                    ),
                ),
                ("pack_size", models.PositiveIntegerField(blank=True, null=True, verbose_name="pieces in one")),
                (
                    "lead_minutes",
                    models.PositiveIntegerField(
                        blank=True, help_text="Empty: as its product.", null=True, verbose_name="ready after (minutes)"
                    ),
                ),
                ("active", models.BooleanField(default=True, verbose_name="active")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="position")),
                (
                    "product",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="variants",
                        to="orders.product",
                        verbose_name="product",
                    ),
                ),
            ],
            options={
                "verbose_name": "variant",
                "verbose_name_plural": "variants",
                "ordering": ["product", "position", "id"],
            },
        ),
        migrations.AddField(
            model_name="orderline",
            name="variant",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="order_lines",
                to="orders.variant",
                verbose_name="variant",
            ),
        ),
        migrations.CreateModel(
            name="CustomerContact",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("channel", models.CharField(max_length=40, verbose_name="channel")),
                ("address", models.CharField(max_length=200, verbose_name="address")),
                ("phone_key", models.CharField(blank=True, editable=False, max_length=20)),
                (
                    "customer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="contacts",
                        to="orders.customer",
                        verbose_name="customer",
                    ),
                ),
            ],
            options={
                "verbose_name": "contact",
                "verbose_name_plural": "contacts",
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("phone_key", ""), _negated=True), fields=["phone_key"], name="contact_phone"
                    )
                ],
                "constraints": [models.UniqueConstraint(fields=("channel", "address"), name="contact_unique")],
            },
        ),
        migrations.CreateModel(
            name="DayCounter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("business_date", models.DateField()),
                ("last", models.PositiveIntegerField(default=0)),
                ("branch", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="orders.branch")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("branch", "business_date"), name="day_counter_unique")],
            },
        ),
        migrations.CreateModel(
            name="DeliveryZone",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=80,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*$", "Use lower-case letters, digits and hyphens."
                            )
                        ],
                        verbose_name="key",
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="also called",
                    ),
                ),
                (
                    "fee",
                    models.DecimalField(
                        decimal_places=2,
                        default=0,
                        max_digits=14,
                        validators=[django.core.validators.MinValueValidator(Decimal(0))],
                        verbose_name="fee",
                    ),
                ),
                (
                    "min_order",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(Decimal(0))],
                        verbose_name="smallest order",
                    ),
                ),
                (
                    "branch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="zones",
                        to="orders.branch",
                        verbose_name="branch",
                    ),
                ),
            ],
            options={
                "verbose_name": "delivery zone",
                "verbose_name_plural": "delivery zones",
                "ordering": ["branch", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("branch", "key"), name="zone_key_unique"),
                    models.CheckConstraint(condition=models.Q(("fee__gte", 0)), name="zone_fee_not_negative"),
                ],
            },
        ),
        migrations.CreateModel(
            name="OpeningWindow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "weekday",
                    models.PositiveSmallIntegerField(
                        choices=[
                            (0, "Monday"),
                            (1, "Tuesday"),
                            (2, "Wednesday"),
                            (3, "Thursday"),
                            (4, "Friday"),
                            (5, "Saturday"),
                            (6, "Sunday"),
                        ],
                        verbose_name="weekday",
                    ),
                ),
                ("opens", models.TimeField(verbose_name="opens")),
                ("closes", models.TimeField(verbose_name="closes")),
                (
                    "kind",
                    models.CharField(
                        choices=[("shop", "shop"), ("delivery", "delivery")],
                        default="shop",
                        max_length=10,
                        verbose_name="for",
                    ),
                ),
                (
                    "branch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="windows",
                        to="orders.branch",
                        verbose_name="branch",
                    ),
                ),
            ],
            options={
                "verbose_name": "opening hours",
                "verbose_name_plural": "opening hours",
                "ordering": ["branch", "kind", "weekday", "opens"],
                "constraints": [
                    models.UniqueConstraint(fields=("branch", "kind", "weekday", "opens"), name="window_unique"),
                    models.CheckConstraint(
                        condition=models.Q(("opens__lt", models.F("closes")), ("closes", "00:00"), _connector="OR"),
                        name="window_opens_first",
                    ),
                    models.CheckConstraint(condition=models.Q(("weekday__lte", 6)), name="window_weekday"),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="option",
            constraint=models.UniqueConstraint(fields=("list", "key"), name="option_key_unique"),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(fields=["business_date", "branch", "state"], name="order_day"),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(fields=["customer", "-id"], name="order_of_customer"),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                condition=models.Q(("state__in", ("accepted", "preparing", "ready"))),
                fields=["branch", "due_at"],
                name="order_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.UniqueConstraint(
                fields=("branch", "business_date", "day_no"), name="order_number_unique"
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("prices_include_tax", True), ("total", models.F("subtotal"))),
                    models.Q(
                        ("prices_include_tax", False),
                        (
                            "total",
                            django.db.models.expressions.CombinedExpression(models.F("subtotal"), "+", models.F("tax")),
                        ),
                    ),
                    _connector="OR",
                ),
                name="order_total_is_the_sum",
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(("subtotal__gte", 0), ("tax__gte", 0)), name="order_money_not_negative"
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["accepted", "preparing", "ready", "picked_up", "no_show", "cancelled"])
                ),
                name="order_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="orderlineoption",
            constraint=models.UniqueConstraint(fields=("line", "option"), name="line_option_unique"),
        ),
        migrations.AddConstraint(
            model_name="product",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("name"),
                condition=models.Q(("active", True)),
                name="product_name_unique",
                violation_error_message="Another active product has this name.",
            ),
        ),
        migrations.AddConstraint(
            model_name="product",
            constraint=models.CheckConstraint(
                condition=models.Q(("price__isnull", True), ("price__gte", 0), _connector="OR"),
                name="product_price_not_negative",
            ),
        ),
        migrations.AddConstraint(
            model_name="product",
            constraint=models.CheckConstraint(
                condition=models.Q(("tax_rate__gte", 0), ("tax_rate__lte", 100)), name="product_tax_rate"
            ),
        ),
        migrations.AddConstraint(
            model_name="product",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("min_quantity__gte", 1),
                    ("quantity_step__gte", 1),
                    models.Q(
                        ("max_quantity__isnull", True), ("max_quantity__gte", models.F("min_quantity")), _connector="OR"
                    ),
                ),
                name="product_quantities",
            ),
        ),
        migrations.AddConstraint(
            model_name="daystock",
            constraint=models.UniqueConstraint(fields=("branch", "product", "date"), name="day_stock_unique"),
        ),
        migrations.AddConstraint(
            model_name="availability",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("from_date__isnull", True),
                    ("to_date__isnull", True),
                    ("to_date__gte", models.F("from_date")),
                    _connector="OR",
                ),
                name="availability_dates",
            ),
        ),
        migrations.AddConstraint(
            model_name="availability",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("from_time__isnull", True),
                    ("to_time__isnull", True),
                    ("to_time__gt", models.F("from_time")),
                    _connector="OR",
                ),
                name="availability_times",
            ),
        ),
        migrations.AddConstraint(
            model_name="productoptions",
            constraint=models.UniqueConstraint(fields=("product", "list"), name="product_options_unique"),
        ),
        migrations.AddConstraint(
            model_name="productoptions",
            constraint=models.CheckConstraint(
                condition=models.Q(("max__gte", 1), ("min__lte", models.F("max"))), name="product_options_counts"
            ),
        ),
        migrations.AddConstraint(
            model_name="specialday",
            constraint=models.UniqueConstraint(
                fields=("branch", "date", "opens"), name="special_day_unique", nulls_distinct=False
            ),
        ),
        migrations.AddConstraint(
            model_name="specialday",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("closes__isnull", True), ("opens__isnull", True)),
                    ("opens__lt", models.F("closes")),
                    models.Q(("closes", "00:00"), ("opens__isnull", False)),
                    _connector="OR",
                ),
                name="special_day_hours",
            ),
        ),
        migrations.AddConstraint(
            model_name="variant",
            constraint=models.UniqueConstraint(fields=("product", "key"), name="variant_key_unique"),
        ),
        migrations.AddConstraint(
            model_name="variant",
            constraint=models.CheckConstraint(condition=models.Q(("price__gte", 0)), name="variant_price_not_negative"),
        ),
        migrations.AddConstraint(
            model_name="orderline",
            constraint=models.UniqueConstraint(fields=("order", "position"), name="line_position_unique"),
        ),
        migrations.AddConstraint(
            model_name="orderline",
            constraint=models.CheckConstraint(condition=models.Q(("quantity__gte", 1)), name="line_quantity"),
        ),
        migrations.AddConstraint(
            model_name="orderline",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "line_total",
                        django.db.models.expressions.CombinedExpression(
                            models.F("unit_price"), "*", models.F("quantity")
                        ),
                    )
                ),
                name="line_total_is_product",
            ),
        ),
    ]
