"""What a model is sent does not grow with the menu, and a wrong key is answered with the right one."""

from __future__ import annotations

import pytest

from aitools import queue
from bench import prompt_size
from orders import sources

pytestmark = [
    pytest.mark.skipif(not prompt_size.LARGE.exists(), reason="the shared case menus are not here"),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> None:
    """A scripted model, and no broker."""
    monkeypatch.setattr(queue, "publish", lambda *args: None)
    prompt_size.make_profile()


def sent(products: int) -> int:
    prompt_size.load(products)
    return prompt_size.bytes_of(prompt_size.one_request())


def test_three_thousand_products_cost_little_more_than_a_few() -> None:
    """One and a half times at most; up to 200 they are listed by name, and even that many may cost more."""
    few, listed, large = (sent(products) for products in prompt_size.SIZES)
    assert large <= 1.5 * few
    assert large <= listed


def test_the_sizes_are_those_of_the_whole_request() -> None:
    """Tools, instructions and the keys of a small menu are in it: nothing was left out to make it small."""
    prompt_size.load(50)
    request = prompt_size.one_request()
    assert {"create_order", "quote_order", "search_products"} <= {tool.name for tool in request.tools}
    assert "galleta-de-arequipe" in str([tool.schema for tool in request.tools])
    assert prompt_size.bytes_of(request) > len(request.system.encode()) > 1000


def test_a_wrong_key_is_refused_with_the_nearest_right_ones() -> None:
    prompt_size.load(3000)
    for wrong, right in list(prompt_size.wrong_keys().items())[:20]:
        nearest = sources.products.nearest(wrong)
        assert nearest[0] == right
        told = prompt_size.refusal(wrong)
        assert right in told
        assert "the user was not asked" in told
        assert len(told) < 1000
