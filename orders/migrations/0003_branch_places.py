from decimal import Decimal

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orders", "0002_menu_version"),
    ]

    operations = [
        migrations.AddField(
            model_name="branch",
            name="latitude",
            field=models.DecimalField(
                blank=True,
                decimal_places=6,
                max_digits=9,
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(Decimal(-90)),
                    django.core.validators.MaxValueValidator(Decimal(90)),
                ],
                verbose_name="latitude",
            ),
        ),
        migrations.AddField(
            model_name="branch",
            name="longitude",
            field=models.DecimalField(
                blank=True,
                decimal_places=6,
                max_digits=9,
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(Decimal(-180)),
                    django.core.validators.MaxValueValidator(Decimal(180)),
                ],
                verbose_name="longitude",
            ),
        ),
        migrations.AddConstraint(
            model_name="branch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("latitude__isnull", True), ("longitude__isnull", True)),
                    models.Q(
                        ("latitude__isnull", False),
                        ("longitude__isnull", False),
                        ("latitude__range", (-90, 90)),
                        ("longitude__range", (-180, 180)),
                    ),
                    _connector="OR",
                ),
                name="branch_coordinates",
                violation_error_message="Give both latitude and longitude, or neither.",
            ),
        ),
    ]
