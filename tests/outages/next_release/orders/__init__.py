"""Of the next release's ``orders``: its migrations."""
