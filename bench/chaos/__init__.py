"""A crowd of customers, a desk of real processes, and everything that can break while they talk."""
