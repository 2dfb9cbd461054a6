"""Every write to the menu, by whatever program, gives it a new version token.

The triggers fire before the statement, so menu writers queue on one row before
they lock any other and cannot deadlock.
"""

from django.db import migrations

TABLES = (
    "shop",
    "branch",
    "openingwindow",
    "specialday",
    "deliveryzone",
    "category",
    "optionlist",
    "option",
    "product",
    "variant",
    "productoptions",
    "availability",
)

FUNCTION = """
CREATE FUNCTION orders_touch_menu() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO orders_menuversion (id, token) VALUES (1, gen_random_uuid())
    ON CONFLICT (id) DO UPDATE SET token = excluded.token;
  RETURN NULL;
END $$;
"""


def _trigger(table: str) -> migrations.RunSQL:
    name = f"orders_{table}_touches_menu"
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} BEFORE INSERT OR UPDATE OR DELETE ON orders_{table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION orders_touch_menu();",
        f"DROP TRIGGER {name} ON orders_{table};",
    )


class Migration(migrations.Migration):
    dependencies = [("orders", "0001_tables")]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION orders_touch_menu();"),
        *(_trigger(table) for table in TABLES),
    ]
