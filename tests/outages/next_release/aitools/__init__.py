"""Of the next release's ``aitools``: its migrations."""
