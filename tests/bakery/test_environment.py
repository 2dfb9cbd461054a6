"""Reading variables: a good value becomes a typed one, a bad one a line that says what to do."""

import base64

import pytest

from bakery.environment import Environment


def problems(environment: Environment) -> list[str]:
    return [str(problem) for problem in environment.problems]


def test_a_missing_variable_is_told_with_purpose_and_example() -> None:
    environment = Environment({})
    assert environment.required("NAME", purpose="says who", example="Ana") == ""
    assert problems(environment) == ["NAME is not set: says who. Example: NAME=Ana"]


def test_an_empty_variable_counts_as_missing() -> None:
    environment = Environment({"NAME": "  "})
    environment.required("NAME", purpose="says who", example="Ana")
    assert len(environment.problems) == 1


@pytest.mark.parametrize(("text", "value"), [("1", True), ("TRUE", True), ("on", True), ("no", False), ("0", False)])
def test_flags_are_read_in_the_usual_spellings(text: str, value: bool) -> None:
    assert Environment({"FLAG": text}).flag("FLAG", not value, purpose="") is value


def test_a_flag_that_is_neither_keeps_the_default_and_is_told() -> None:
    environment = Environment({"FLAG": "maybe"})
    assert environment.flag("FLAG", False, purpose="turns it on") is False
    assert problems(environment) == ["FLAG must be true or false: turns it on. Example: FLAG=false"]


@pytest.mark.parametrize(
    "url", ["", "mysql://a/b", "postgresql://host", "sqlite:///x", "nonsense", "postgresql://h:port/name"]
)
def test_only_a_postgresql_url_with_a_name_is_a_database(url: str) -> None:
    environment = Environment({"DATABASE_URL": url})
    assert environment.database("DATABASE_URL", purpose="p", example="e") == {}
    assert len(environment.problems) == 1


def test_a_password_with_special_characters_is_decoded() -> None:
    environment = Environment({"DATABASE_URL": "postgresql://bakery:p%40ss@db.example.com:5433/shop"})
    entry = environment.database("DATABASE_URL", purpose="p", example="e")
    assert (entry["PASSWORD"], entry["HOST"], entry["PORT"], entry["NAME"]) == ("p@ss", "db.example.com", 5433, "shop")


@pytest.mark.parametrize(
    "url",
    [
        *("localhost", "ftp://x.example.com", "https://", "http://[broken"),
        *("https://x y", "https://x:abc", "https://x:99999"),
    ],
)
def test_a_url_needs_scheme_host_and_a_port_that_exists(url: str) -> None:
    environment = Environment({"PUBLIC_URL": url})
    assert environment.url("PUBLIC_URL", "", ("http://", "https://"), purpose="p", example="e") == ""
    assert len(environment.problems) == 1


def test_a_url_loses_the_slash_at_its_end() -> None:
    environment = Environment({"PUBLIC_URL": "https://shop.example.com/"})
    assert environment.url("PUBLIC_URL", "", ("https://",), purpose="p", example="e") == "https://shop.example.com"


@pytest.mark.parametrize("rest", ["/desk", "?a=1", "#top"])
def test_an_origin_has_nothing_after_the_host(rest: str) -> None:
    environment = Environment({"PUBLIC_URL": f"https://shop.example.com{rest}"})
    environment.origin("PUBLIC_URL", "", ("https://",), purpose="p", example="e")
    assert problems(environment) == ["PUBLIC_URL must be scheme, host and port only: p. Example: PUBLIC_URL=e"]


@pytest.mark.parametrize(
    "hosts", ["orders.example.com", "a.example, .b.example,", "*", "127.0.0.1", "[::1],localhost", "web_1"]
)
def test_hosts_are_a_list(hosts: str) -> None:
    environment = Environment({"HOSTS": hosts})
    expected = [host.strip() for host in hosts.split(",") if host]
    assert environment.hosts("HOSTS", ("x",), purpose="p", example="e") == expected
    assert problems(environment) == []


@pytest.mark.parametrize("hosts", [",", "https://x.example", "x.example:8000", "x.example y.example", "x.example/"])
def test_what_no_host_header_can_equal_is_told(hosts: str) -> None:
    environment = Environment({"HOSTS": hosts})
    assert environment.hosts("HOSTS", ("x",), purpose="p", example="e") == ["x"]
    assert len(environment.problems) == 1


def test_a_value_is_never_repeated_in_its_problem() -> None:
    environment = Environment({"KEY": "hunter2-hunter2", "DATABASE_URL": "mysql://root:hunter2@x/y"})
    environment.sealing_keys("KEY", purpose="p")
    environment.matching("KEY", "[0-9]+", form="digits", purpose="p", example="1")
    environment.database("DATABASE_URL", purpose="p", example="e")
    assert len(environment.problems) == 3
    assert "hunter2" not in " ".join(problems(environment))


KEY = base64.b64encode(b"k" * 32).decode()
OTHER = base64.urlsafe_b64encode(b"\xff" * 32).decode().rstrip("=")


@pytest.mark.parametrize(
    ("text", "keys"), [("", ()), (KEY, (KEY,)), (f"{KEY}, {OTHER}", (KEY, OTHER)), (f"{KEY},", (KEY,))]
)
def test_sealing_keys_are_32_bytes_in_either_base64(text: str, keys: tuple[str, ...]) -> None:
    environment = Environment({"KEYS": text})
    assert environment.sealing_keys("KEYS", purpose="p") == keys
    assert problems(environment) == []
    assert set(keys) <= set(environment.secrets(("_none",)))


@pytest.mark.parametrize("text", ["short", KEY[:-4], f"{KEY} {KEY}", f"{KEY},x", "a" * 44, "clave ñ"])
def test_anything_else_is_no_sealing_key(text: str) -> None:
    environment = Environment({"KEYS": text})
    assert environment.sealing_keys("KEYS", purpose="p") == ()
    assert len(environment.problems) == 1


def test_secrets_are_found_by_name_and_inside_urls() -> None:
    environment = Environment(
        {"X_TOKEN": "token-value", "NAME": "Ana", "DATABASE_URL": "postgresql://u:p%40ss@h/n", "BAD": "http://[x"}
    )
    assert set(environment.secrets(("_TOKEN",))) == {"token-value", "p%40ss", "p@ss"}


@pytest.mark.parametrize(
    ("text", "values", "problems"),
    [
        ("", {}, 0),
        ("es=HX1", {"es": "HX1"}, 0),
        ("es=HX1,en=HX2", {"es": "HX1", "en": "HX2"}, 0),
        ("HX1", {}, 1),
        ("es=HX1, en=HX2", {}, 1),
        ("es=secret", {}, 1),
    ],
)
def test_values_by_language_are_read_as_a_whole_or_not_at_all(text: str, values: dict[str, str], problems: int) -> None:
    environment = Environment({"TEMPLATES": text})
    read = environment.by_language("TEMPLATES", r"HX[0-9]", purpose="carry questions", example="es=HX1")
    assert (read, len(environment.problems)) == (values, problems)
