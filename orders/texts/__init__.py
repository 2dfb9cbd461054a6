"""What the shop's code says to customers, in the active language."""
