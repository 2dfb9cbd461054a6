"""Configuration and wiring of the ordering desk: settings, URLs, Celery, health, local services."""
