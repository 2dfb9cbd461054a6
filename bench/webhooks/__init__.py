"""How fast webhooks are taken: the desk's beside a bare endpoint's, on the same servers."""
