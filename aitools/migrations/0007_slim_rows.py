"""Rows that say each thing once: an order then costs a third less to write down and to back up.

Four tables are rewritten, a million rows in about ten seconds each; no worker may run meanwhile.
"""

import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models

import aitools.keys

# ruff: noqa: S608 - every part of a statement stands in this file
#: Half of a SHA-256, 22 characters instead of 64.
SHORT = "CASE WHEN length({0}) >= 32 THEN rtrim(encode(decode(left({0}, 32), 'hex'), 'base64'), '=') ELSE '' END"

# PostgreSQL logs a changed row from its first to its last changed byte: what changes together lies together.
MOVED = {
    "read_seq": "bigint",
    "last_done_at": "timestamptz",
    "lease_token": "uuid",
    "lease_until": "timestamptz",
    "wake_at": "timestamptz",
    "first_unread_at": "timestamptz",
    "last_inbound_at": "timestamptz",
    "inbox_seq": "bigint",
}
CONVERSATIONS = f"""
ALTER TABLE aitools_conversation DROP CONSTRAINT conversation_reads_what_exists,
  {", ".join(f"ADD COLUMN new_{name} {kind}" for name, kind in MOVED.items())};
UPDATE aitools_conversation SET {", ".join(f"new_{name} = {name}" for name in MOVED)};
ALTER TABLE aitools_conversation {", ".join(f"DROP COLUMN {name}" for name in MOVED)};
{" ".join(f"ALTER TABLE aitools_conversation RENAME COLUMN new_{name} TO {name};" for name in MOVED)}
ALTER TABLE aitools_conversation ALTER COLUMN read_seq SET NOT NULL, ALTER COLUMN inbox_seq SET NOT NULL,
  ADD CONSTRAINT conversation_reads_what_exists CHECK (read_seq <= inbox_seq);
"""

# A question's message has the key that its buttons carry, the call it is about, and the words.
# A table whose rows were changed can be altered only once their foreign keys were looked at.
MESSAGES = """
ALTER TABLE aitools_outboundmessage ADD COLUMN call_id bigint, ALTER COLUMN buttons DROP NOT NULL;
WITH asked AS (
  SELECT call_id, key, conversation_id, message_id,
    lag(message_id, 1, 0::bigint) OVER (PARTITION BY conversation_id ORDER BY message_id) AS after_id
  FROM aitools_pendingconfirmation)
UPDATE aitools_outboundmessage o
SET call_id = asked.call_id, key = CASE WHEN o.id = asked.message_id THEN asked.key ELSE o.key END
FROM asked
WHERE o.conversation_id = asked.conversation_id AND o.kind = 'question'
  AND o.id > asked.after_id AND o.id <= asked.message_id;
UPDATE aitools_outboundmessage
SET buttons = (
  SELECT jsonb_agg(jsonb_build_array(split_part(button ->> 'id', ':', 3), button ->> 'title') ORDER BY place)
  FROM jsonb_array_elements(buttons) WITH ORDINALITY AS one (button, place));
SET CONSTRAINTS ALL IMMEDIATE;
"""
NO_MESSAGES = """
UPDATE aitools_outboundmessage o
SET buttons = coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', concat_ws(':', 'confirm', o.key, button ->> 0), 'title', button ->> 1)
    ORDER BY place)
  FROM jsonb_array_elements(buttons) WITH ORDINALITY AS one (button, place)), '[]');
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE aitools_outboundmessage DROP COLUMN call_id, ALTER COLUMN buttons SET NOT NULL;
"""

# The key is the message's, the tool and the arguments are the call's, the words are the message's.
QUESTIONS = f"""
CREATE TABLE aitools_question (
  call_id bigint NOT NULL, conversation_id bigint NOT NULL, message_id bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT aitools_now(),
  asked_at timestamptz, expires_at timestamptz, settled_at timestamptz, answered_seq bigint, answered_by_id bigint,
  expires_after_seconds integer NOT NULL, state varchar(10) NOT NULL, language varchar(10) NOT NULL,
  schema_hash varchar(16) NOT NULL, digest varchar(22) NOT NULL, long_question text NOT NULL, fingerprint jsonb
) WITH (fillfactor = 75);
INSERT INTO aitools_question
SELECT p.call_id, p.conversation_id, p.message_id, p.created_at, p.asked_at, p.expires_at, p.settled_at,
  p.answered_seq, p.answered_by_id, p.expires_after_seconds, p.state, p.language, p.schema_hash,
  {SHORT.format("p.digest")}, CASE WHEN p.question = m.text THEN '' ELSE p.question END, p.fingerprint
FROM aitools_pendingconfirmation p JOIN aitools_outboundmessage m ON m.id = p.message_id ORDER BY p.id;
DROP TABLE aitools_pendingconfirmation;
ALTER TABLE aitools_question RENAME TO aitools_pendingconfirmation;
ALTER TABLE aitools_pendingconfirmation
  ADD PRIMARY KEY (call_id), ADD CHECK (expires_after_seconds >= 0),
  ADD CONSTRAINT aitools_pendingconfi_conversation_id_fab7fb9e_fk_aitools_c
    FOREIGN KEY (conversation_id) REFERENCES aitools_conversation DEFERRABLE INITIALLY DEFERRED;
CREATE UNIQUE INDEX confirmation_one_pending ON aitools_pendingconfirmation (conversation_id) WHERE state = 'pending';
"""
NO_QUESTIONS = """
CREATE TABLE aitools_question (
  id bigint NOT NULL, key uuid NOT NULL, tool varchar(64) NOT NULL, schema_hash varchar(16) NOT NULL,
  arguments jsonb NOT NULL, digest varchar(64) NOT NULL, fingerprint jsonb, language varchar(10) NOT NULL,
  question text NOT NULL, state varchar(10) NOT NULL, expires_after_seconds integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT aitools_now(), asked_at timestamptz, expires_at timestamptz,
  settled_at timestamptz, answered_by_id bigint, conversation_id bigint NOT NULL, message_id bigint NOT NULL,
  call_id bigint NOT NULL, answered_seq bigint
) WITH (fillfactor = 75);
INSERT INTO aitools_question
SELECT row_number() OVER (ORDER BY p.call_id), m.key, left(c.name, 64), p.schema_hash,
  coalesce(c.arguments, '{}'), encode(decode(p.digest || '==', 'base64'), 'hex'), p.fingerprint, p.language,
  CASE WHEN p.long_question = '' THEN m.text ELSE p.long_question END, p.state, p.expires_after_seconds,
  p.created_at, p.asked_at, p.expires_at, p.settled_at, p.answered_by_id, p.conversation_id, p.message_id,
  p.call_id, p.answered_seq
FROM aitools_pendingconfirmation p JOIN aitools_outboundmessage m ON m.id = p.message_id
JOIN aitools_toolcall c ON c.id = p.call_id;
DROP TABLE aitools_pendingconfirmation;
ALTER TABLE aitools_question RENAME TO aitools_pendingconfirmation;
ALTER TABLE aitools_pendingconfirmation
  ADD PRIMARY KEY (id), ADD UNIQUE (call_id), ADD UNIQUE (message_id), ADD CHECK (expires_after_seconds >= 0),
  ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY,
  ADD CONSTRAINT aitools_pendingconfi_answered_by_id_b36d4e8f_fk_aitools_i
    FOREIGN KEY (answered_by_id) REFERENCES aitools_inboundevent DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT aitools_pendingconfi_call_id_107e65d2_fk_aitools_t
    FOREIGN KEY (call_id) REFERENCES aitools_toolcall DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT aitools_pendingconfi_conversation_id_fab7fb9e_fk_aitools_c
    FOREIGN KEY (conversation_id) REFERENCES aitools_conversation DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT aitools_pendingconfi_message_id_52be4b59_fk_aitools_o
    FOREIGN KEY (message_id) REFERENCES aitools_outboundmessage DEFERRABLE INITIALLY DEFERRED;
CREATE UNIQUE INDEX confirmation_one_pending ON aitools_pendingconfirmation (conversation_id) WHERE state = 'pending';
CREATE INDEX confirmation_newest ON aitools_pendingconfirmation (conversation_id, id DESC);
SELECT setval('aitools_pendingconfirmation_id_seq', count(*) + 1, false) FROM aitools_pendingconfirmation;
"""

# A call is the first, second … of a numbered step of a turn; a step is that number in its turn.
CALLS = f"""
ALTER TABLE aitools_toolcall ADD COLUMN step smallint;
UPDATE aitools_toolcall c SET step = s.index, digest = {SHORT.format("c.digest")}
FROM aitools_step s WHERE s.id = c.step_id;
ALTER TABLE aitools_toolcall
  DROP COLUMN step_id, DROP COLUMN conversation_id,
  ALTER COLUMN step SET NOT NULL, ALTER COLUMN digest TYPE varchar(22),
  ADD CHECK (step >= 0), ADD CONSTRAINT call_once UNIQUE (turn_id, step, position);
ALTER TABLE aitools_step DROP CONSTRAINT step_once, DROP COLUMN id, ADD PRIMARY KEY (turn_id, index);
"""
NO_CALLS = """
ALTER TABLE aitools_step DROP CONSTRAINT aitools_step_pkey;
ALTER TABLE aitools_step
  ADD COLUMN id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, ADD CONSTRAINT step_once UNIQUE (turn_id, index);
ALTER TABLE aitools_toolcall
  DROP CONSTRAINT call_once, ADD COLUMN step_id bigint, ADD COLUMN conversation_id bigint,
  ALTER COLUMN digest TYPE varchar(64);
UPDATE aitools_toolcall c SET step_id = s.id, conversation_id = t.conversation_id,
  digest = CASE c.digest WHEN '' THEN '' ELSE encode(decode(c.digest || '==', 'base64'), 'hex') END
FROM aitools_step s JOIN aitools_turn t ON t.id = s.turn_id WHERE s.turn_id = c.turn_id AND s.index = c.step;
ALTER TABLE aitools_toolcall
  DROP COLUMN step, ALTER COLUMN step_id SET NOT NULL, ALTER COLUMN conversation_id SET NOT NULL,
  ADD CONSTRAINT call_once UNIQUE (step_id, position),
  ADD CONSTRAINT aitools_toolcall_conversation_id_d7f90363_fk_aitools_c
    FOREIGN KEY (conversation_id) REFERENCES aitools_conversation DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT aitools_toolcall_step_id_e47df52f_fk_aitools_step_id
    FOREIGN KEY (step_id) REFERENCES aitools_step DEFERRABLE INITIALLY DEFERRED;
"""

RARE = "kind <> ALL (ARRAY['tool.call', 'tool.result', 'tool.confirm.requested', 'tool.confirm.approved'])"
# Eight columns and none without: a ninth would make every row eight bytes longer.
EVENTS = f"""
CREATE TABLE aitools_event (
  id bigint NOT NULL, at timestamptz NOT NULL DEFAULT aitools_now(), turn_id bigint, tool_call_id bigint,
  duration_ms integer, step smallint, kind varchar(40) NOT NULL, error varchar(500) NOT NULL);
INSERT INTO aitools_event
SELECT e.id, e.at, e.turn_id, c.id, e.duration_ms, e.step, e.kind, e.error
FROM aitools_auditevent e LEFT JOIN aitools_toolcall c ON c.call_id::text = e.call_id ORDER BY e.id;
DROP TABLE aitools_auditevent;
ALTER TABLE aitools_event RENAME TO aitools_auditevent;
ALTER TABLE aitools_auditevent
  ADD PRIMARY KEY (id), ADD CHECK (duration_ms >= 0), ADD CHECK (step >= 0),
  ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
SELECT setval('aitools_auditevent_id_seq', coalesce(max(id), 0) + 1, false) FROM aitools_auditevent;
CREATE INDEX audit_of_rare_kind ON aitools_auditevent (kind, id DESC) WHERE {RARE};
CREATE INDEX audit_by_turn ON aitools_auditevent USING brin (turn_id)
  WITH (pages_per_range = 8, autosummarize = on);
"""
NO_EVENTS = f"""
CREATE TABLE aitools_event (
  id bigint NOT NULL, at timestamptz NOT NULL DEFAULT aitools_now(), kind varchar(40) NOT NULL, step smallint,
  tool varchar(128) NOT NULL, call_id varchar(64) NOT NULL, chat_key varchar(64) NOT NULL, arguments jsonb,
  duration_ms integer, error varchar(500) NOT NULL, conversation_id bigint, turn_id bigint);
INSERT INTO aitools_event
SELECT e.id, e.at, e.kind, e.step, coalesce(c.name, ''), coalesce(c.call_id::text, ''),
  coalesce(t.conversation_id::text, ''), c.arguments, e.duration_ms, e.error, t.conversation_id, e.turn_id
FROM aitools_auditevent e LEFT JOIN aitools_toolcall c ON c.id = e.tool_call_id
LEFT JOIN aitools_turn t ON t.id = e.turn_id ORDER BY e.id;
DROP TABLE aitools_auditevent;
ALTER TABLE aitools_event RENAME TO aitools_auditevent;
ALTER TABLE aitools_auditevent
  ADD PRIMARY KEY (id), ADD CHECK (duration_ms >= 0), ADD CHECK (step >= 0),
  ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
SELECT setval('aitools_auditevent_id_seq', coalesce(max(id), 0) + 1, false) FROM aitools_auditevent;
CREATE INDEX audit_of_rare_kind ON aitools_auditevent (kind, id DESC) WHERE {RARE};
CREATE INDEX audit_by_time ON aitools_auditevent USING brin (at);
CREATE INDEX aitools_auditevent_turn_id_e069529d ON aitools_auditevent (turn_id);
"""

STATE = [
    migrations.AddField(
        "outboundmessage",
        "call",
        models.ForeignKey(
            "aitools.toolcall",
            blank=True,
            db_constraint=False,
            db_index=False,
            help_text="What a question is about.",
            null=True,
            on_delete=django.db.models.deletion.PROTECT,
            related_name="+",
        ),
    ),
    migrations.AlterField(
        "outboundmessage",
        "buttons",
        models.JSONField(blank=True, help_text='[["yes", "Sí"], …], shown where possible.', null=True),
    ),
    migrations.AlterModelOptions(
        "pendingconfirmation",
        {
            "ordering": ["-call_id"],
            "verbose_name": "confirmation",
            "verbose_name_plural": "confirmations",
        },
    ),
    migrations.RemoveIndex("pendingconfirmation", "confirmation_newest"),
    migrations.RemoveField("pendingconfirmation", "id"),
    migrations.RemoveField("pendingconfirmation", "key"),
    migrations.RemoveField("pendingconfirmation", "tool"),
    migrations.RemoveField("pendingconfirmation", "arguments"),
    migrations.RemoveField("pendingconfirmation", "question"),
    migrations.AddField("pendingconfirmation", "long_question", models.TextField(blank=True, editable=False)),
    migrations.AlterField("pendingconfirmation", "digest", models.CharField(editable=False, max_length=22)),
    migrations.AlterField(
        "pendingconfirmation",
        "call",
        models.OneToOneField(
            db_constraint=False,
            on_delete=django.db.models.deletion.PROTECT,
            primary_key=True,
            related_name="confirmation",
            serialize=False,
            to="aitools.toolcall",
        ),
    ),
    migrations.AlterField(
        "pendingconfirmation",
        "message",
        models.ForeignKey(
            db_constraint=False,
            db_index=False,
            on_delete=django.db.models.deletion.PROTECT,
            related_name="+",
            to="aitools.outboundmessage",
        ),
    ),
    migrations.AlterField(
        "pendingconfirmation",
        "answered_by",
        models.ForeignKey(
            blank=True,
            db_constraint=False,
            db_index=False,
            null=True,
            on_delete=django.db.models.deletion.PROTECT,
            related_name="+",
            to="aitools.inboundevent",
        ),
    ),
    migrations.RemoveConstraint("toolcall", "call_once"),
    migrations.RemoveField("toolcall", "conversation"),
    migrations.RemoveField("toolcall", "step"),
    migrations.AddField(
        "toolcall", "step", models.PositiveSmallIntegerField(default=1, verbose_name="step"), preserve_default=False
    ),
    migrations.AlterField("toolcall", "digest", models.CharField(blank=True, editable=False, max_length=22)),
    migrations.AlterField(
        "toolcall", "call_id", models.UUIDField(default=aitools.keys.new_key, editable=False, verbose_name="call id")
    ),
    migrations.AddConstraint(
        "toolcall", models.UniqueConstraint(fields=("turn", "step", "position"), name="call_once")
    ),
    migrations.RemoveConstraint("step", "step_once"),
    migrations.RemoveField("step", "id"),
    migrations.AddField(
        "step",
        "pk",
        models.CompositePrimaryKey("turn", "index", blank=True, editable=False, primary_key=True, serialize=False),
    ),
    migrations.RemoveIndex("auditevent", "audit_by_time"),
    migrations.RemoveField("auditevent", "conversation"),
    migrations.RemoveField("auditevent", "tool"),
    migrations.RemoveField("auditevent", "call_id"),
    migrations.RemoveField("auditevent", "chat_key"),
    migrations.RemoveField("auditevent", "arguments"),
    migrations.AlterField(
        "auditevent",
        "turn",
        models.ForeignKey(
            blank=True,
            db_constraint=False,
            db_index=False,
            null=True,
            on_delete=django.db.models.deletion.PROTECT,
            related_name="events",
            to="aitools.turn",
        ),
    ),
    migrations.AddField(
        "auditevent",
        "tool_call",
        models.ForeignKey(
            blank=True,
            db_constraint=False,
            db_index=False,
            null=True,
            on_delete=django.db.models.deletion.PROTECT,
            related_name="events",
            to="aitools.toolcall",
        ),
    ),
    migrations.AddIndex(
        "auditevent",
        django.contrib.postgres.indexes.BrinIndex(
            autosummarize=True, fields=["turn"], name="audit_by_turn", pages_per_range=8
        ),
    ),
]


class Migration(migrations.Migration):
    dependencies = [
        ("aitools", "0006_lighter_rows"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(CONVERSATIONS, migrations.RunSQL.noop),
                migrations.RunSQL(MESSAGES, NO_MESSAGES),
                migrations.RunSQL(QUESTIONS, NO_QUESTIONS),
                migrations.RunSQL(EVENTS, NO_EVENTS),
                migrations.RunSQL(CALLS, NO_CALLS),
            ],
            state_operations=STATE,
        ),
        migrations.AlterField("outboundmessage", "key", models.UUIDField(default=aitools.keys.new_key, editable=False)),
        migrations.AddIndex(
            "outboundmessage",
            django.contrib.postgres.indexes.BrinIndex(
                autosummarize=True, fields=["key"], name="outbound_by_key", pages_per_range=8
            ),
        ),
        migrations.AlterField(
            "inboundevent",
            "conversation",
            models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="inbound",
                to="aitools.conversation",
            ),
        ),
        migrations.RemoveIndex("inboundevent", "inbound_by_conversation"),
        migrations.AddIndex(
            "inboundevent",
            models.Index(
                condition=models.Q(("seq__isnull", True)), fields=["conversation", "id"], name="inbound_not_talk"
            ),
        ),
    ]
