"""The shop: menu, customers, orders, and the tools a model may ask for."""
