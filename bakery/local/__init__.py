"""PostgreSQL and Valkey for a machine that has neither: `python -m bakery.local COMMAND…`.

Each service has a *keeper*: a small process in a session of its own that starts the server, says where it
answers, starts it again when it dies, and stops it when nobody uses it any more. A user is whoever holds a
shared lock on the service's `users.lock`. The lock lives in the command itself (we `exec` it), so the kernel
releases it however the command ends; no count, no pid file and no signal handler can be left wrong by a crash.
"""
