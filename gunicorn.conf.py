"""Gunicorn's defaults for the desk; command line and GUNICORN_CMD_ARGS override them."""

import os

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
# A webhook stores a row and answers: threads wait for the database side by side, and one process is enough
# for many of them. More processes: GUNICORN_CMD_ARGS=--workers=4
worker_class = "gthread"
threads = 8
timeout = 60
graceful_timeout = 20
control_socket_disable = True


def on_starting(server: object) -> None:
    """Processes that ended before this start leave files with their counts: one is enough for all."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
    if os.access(folder, os.W_OK):
        from bakery.metric_files import merge_ended

        merge_ended(folder)
