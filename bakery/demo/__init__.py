"""The whole desk on one machine with one command and no key: `python -m bakery.demo`."""
