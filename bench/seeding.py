"""Earlier turns in bulk: what years of chat leave behind, for the engine and for the floor.

One earlier turn in four is a whole order (two messages in, two out, three
steps, two calls, a question, five audit rows), the others a question and its
answer.  Rows of many chats lie mixed, as they would after years, and all of it
is older than a day.
"""

from __future__ import annotations

from django.db import connection

from bench import floor
from bench.engine_side import CHANNEL

ENGINE = (
    """
    INSERT INTO aitools_conversation (channel, account, address, phone, profile_name, language, language_fixed,
        mode, needs_staff, inbox_seq, read_seq, epoch, history_from, created_at, last_inbound_at, last_done_at)
    SELECT %(channel)s, '', %(prefix)s || n, '', 'Ana', 'es', false,
        'bot', false, 2 * %(turns)s, 2 * %(turns)s, 0, 0, now() - interval '900 days', ended, ended
    FROM generate_series(1, %(chats)s) n CROSS JOIN (SELECT now() - interval '1 day') day (ended)
    """,
    """
    CREATE TEMP TABLE chat ON COMMIT DROP AS
    SELECT id FROM aitools_conversation WHERE channel = %(channel)s AND address LIKE %(prefix)s || '%%'
    """,
    """
    CREATE TEMP TABLE old ON COMMIT DROP AS
    WITH turned AS (
        INSERT INTO aitools_turn (conversation_id, state, language, text, reply, counted_from, read_to, failures,
            failure, started_at, finished_at)
        SELECT chat.id, 'done', 'es', %(asked)s, %(told)s, 0, 2 * n, 0, '', at, at
        FROM generate_series(1, %(turns)s) n CROSS JOIN chat
        CROSS JOIN LATERAL (SELECT now() - interval '1 day' - (%(turns)s - n) * interval '6 hours') times (at)
        ORDER BY n, chat.id
        RETURNING id, conversation_id, read_to, started_at
    )
    SELECT id, conversation_id, read_to, started_at AS at, read_to %% 8 = 0 AS ordered FROM turned
    """,
    """
    INSERT INTO aitools_inboundevent (conversation_id, channel, provider_id, kind, message_kind, seq, state, text,
        payload, media, extra, reply_to, received_at)
    SELECT conversation_id, %(channel)s, 'old-' || id || '-' || part, 'message', 'text', read_to - 2 + part, 'bot',
        CASE part WHEN 1 THEN %(asked)s ELSE 'sí' END, '', '[]', '{}', '', at
    FROM old JOIN generate_series(1, 2) part ON part = 1 OR ordered ORDER BY id, part
    """,
    """
    CREATE TEMP TABLE question (id bigint, turn_id bigint) ON COMMIT DROP
    """,
    """
    WITH said AS (
        INSERT INTO aitools_outboundmessage (key, conversation_id, turn_id, kind, text, buttons, choice, state, status,
            provider_id, attempts, attempted_at, due_at, possibly_repeated, error_code, error, created_at, sent_at)
        SELECT gen_random_uuid(), conversation_id, id, CASE part WHEN 1 THEN 'reply' ELSE 'question' END,
            %(told)s, NULL, '', 'sent', 'read', 'old-' || id || '-' || part, 1, at, at, false, '', '', at, at
        FROM old JOIN generate_series(1, 2) part ON part = 1 OR ordered ORDER BY id, part DESC
        RETURNING id, turn_id, kind
    )
    INSERT INTO question SELECT id, turn_id FROM said WHERE kind = 'question'
    """,
    """
    CREATE TEMP TABLE asked ON COMMIT DROP AS
    WITH stepped AS (
        INSERT INTO aitools_step (turn_id, index, provider, model, nudge, text, stop, raw_stop, request_id,
            input_tokens, output_tokens, cached_tokens, duration_ms, created_at)
        SELECT id, part, 'scripted', '', '', %(told)s, CASE part WHEN 3 THEN 'end' ELSE 'tool_calls' END, '', '',
            900, 60, 0, 1100, at
        FROM old JOIN generate_series(1, 3) part ON part = 3 OR ordered ORDER BY id, part
        RETURNING turn_id, index
    )
    SELECT turn_id, conversation_id, index, at FROM stepped JOIN old ON old.id = turn_id WHERE index < 3
    """,
    """
    CREATE TEMP TABLE called ON COMMIT DROP AS
    WITH made AS (
        INSERT INTO aitools_toolcall (turn_id, step, position, call_id, vendor_id, name, arguments,
            digest, state, attempt, result, value, is_error, duration_ms, created_at, finished_at)
        SELECT turn_id, index, 0, gen_random_uuid(), '',
            CASE index WHEN 1 THEN 'get_menu' ELSE 'create_order' END, %(arguments)s::jsonb,
            left(md5(turn_id::text), 22), 'done', 1, %(told)s, '{"total": 9500}', false, 4, at, at
        FROM asked ORDER BY turn_id, index
        RETURNING id, turn_id, step, name, created_at, digest
    )
    SELECT made.*, conversation_id FROM made JOIN old ON old.id = turn_id
    """,
    """
    INSERT INTO aitools_pendingconfirmation (conversation_id, call_id, message_id, schema_hash, digest, fingerprint,
        language, long_question, state, expires_after_seconds, created_at, asked_at, expires_at, settled_at)
    SELECT conversation_id, called.id, question.id, '0123456789abcdef', digest, '{"total": 9500}',
        'es', '', 'approved', 1800, created_at, created_at, created_at + interval '30 minutes', created_at
    FROM called JOIN question USING (turn_id) WHERE name = 'create_order' ORDER BY called.id
    """,
    """
    INSERT INTO aitools_auditevent (at, kind, turn_id, tool_call_id, step, duration_ms, error)
    SELECT created_at, kind, turn_id, id, step, 4, ''
    FROM called CROSS JOIN (VALUES ('tool.call', false), ('tool.result', false), ('tool.confirm.approved', true)) v
        (kind, question)
    WHERE NOT question OR name = 'create_order' ORDER BY id
    """,
)

FLOOR = (
    """
    INSERT INTO bench_conversation (address) SELECT %(prefix)s || n FROM generate_series(1, %(chats)s) n
    """,
    """
    INSERT INTO bench_message (conversation_id, role, body, created_at)
    SELECT chat.id, role, jsonb_build_object('role', role, 'text', text), now() - interval '1 day'
    FROM generate_series(1, %(turns)s) n
    CROSS JOIN (VALUES (1, 'user', %(asked)s), (2, 'assistant', %(told)s), (3, 'tool', %(told)s),
        (4, 'assistant', %(told)s), (5, 'user', 'sí'), (6, 'assistant', %(told)s)) six (part, role, text)
    JOIN bench_conversation chat ON chat.address LIKE %(prefix)s || '%%' AND (part <= 2 OR n %% 4 = 0)
    ORDER BY n, chat.id, part
    """,
)


def seed(chats: int, turns: int) -> list[str]:
    """Conversations of both sides with so many earlier turns each; their addresses."""
    prefix = f"{turns} turns, chat "
    values = {
        "channel": CHANNEL,
        "prefix": prefix,
        "chats": chats,
        "turns": turns,
        "asked": floor.ASKED,
        "told": floor.TOLD,
        "arguments": '{"items": [{"product": "croissant", "quantity": 2}], "name": "Ana"}',
    }
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT current_setting('is_superuser') = 'on'")
        if cursor.fetchone()[0]:
            # These rows are whole; checking that one by one would take most of the time.
            cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in (*ENGINE, *FLOOR):
            cursor.execute(statement, values)
        cursor.execute("COMMIT")
    return [f"{prefix}{number}" for number in range(1, chats + 1)]


def settle() -> None:
    """Statistics as after a quiet night; no vacuum comes between from here on."""
    tables = [*connection.introspection.table_names()]
    with connection.cursor() as cursor:
        for table in tables:
            if table.startswith(("aitools_", "bench_", "orders_")):
                cursor.execute(f"ALTER TABLE {connection.ops.quote_name(table)} SET (autovacuum_enabled = false)")
        cursor.execute("VACUUM ANALYZE")
