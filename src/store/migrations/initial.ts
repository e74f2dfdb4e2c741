import type { Migration } from "./migration.ts";

/**
 * Version 1. A listing reads narrow rows only: engine states and what a session was opened with lie in tables
 * of their own. A message is stored once: its fact holds the message's id in place of its JSON. Audit rows,
 * grants and file changes are facts, found by a partial index and shown to people as views.
 */
export const initial: Migration = {
  version: 1,
  sql: `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  cwd TEXT NOT NULL,
  roots TEXT NOT NULL,
  model TEXT NOT NULL,
  mode TEXT NOT NULL,
  status TEXT NOT NULL,
  head TEXT,
  parent_session TEXT,
  parent_run TEXT,
  parent_call TEXT,
  sandbox TEXT NOT NULL,
  usage TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  phase TEXT NOT NULL,
  seq INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_time ON sessions (updated_at);
CREATE INDEX sessions_by_cwd ON sessions (cwd);
CREATE INDEX sessions_by_parent ON sessions (parent_session) WHERE parent_session IS NOT NULL;
CREATE INDEX sessions_unfinished ON sessions (phase) WHERE phase <> 'idle';

CREATE TABLE session_states (session TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT;

CREATE TABLE session_contexts (
  session TEXT PRIMARY KEY,
  options TEXT NOT NULL,
  environment TEXT NOT NULL,
  prefix_hash TEXT
) STRICT;

CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  parent TEXT,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX messages_by_session ON messages (session);
CREATE INDEX messages_by_parent ON messages (parent) WHERE parent IS NOT NULL;

CREATE TABLE facts (
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  json TEXT,
  message TEXT,
  PRIMARY KEY (session, seq)
) STRICT;
CREATE INDEX facts_of_record ON facts (session, type, seq)
  WHERE type = 'decision_recorded' OR type = 'grant_added' OR type = 'file_changed';

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  status TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX approvals_by_session ON approvals (session, status);

CREATE TABLE commands (
  session TEXT NOT NULL,
  id TEXT NOT NULL,
  n INTEGER NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY (session, id)
) STRICT;
CREATE UNIQUE INDEX commands_by_number ON commands (session, n);

CREATE TABLE blobs (
  hash TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW audit AS SELECT session, seq, at,
  json ->> '$.audit.tool' AS tool, json ->> '$.audit.decision' AS decision, json ->> '$.audit.layer' AS layer,
  json ->> '$.audit.rule' AS rule, json ->> '$.audit.source' AS source, json ->> '$.audit.by' AS "by",
  json ->> '$.audit.reason' AS reason, json -> '$.audit.detail' AS detail
  FROM facts WHERE type = 'decision_recorded';
CREATE VIEW grants AS SELECT session, seq, at,
  json ->> '$.grant.rule.tool' AS tool, json ->> '$.grant.rule.match' AS "match",
  json ->> '$.grant.scope' AS scope, json ->> '$.grant.by' AS "by"
  FROM facts WHERE type = 'grant_added';
CREATE VIEW file_changes AS SELECT session, seq, at,
  json ->> '$.change.path' AS path, json ->> '$.change.before' AS "before", json ->> '$.change.after' AS "after"
  FROM facts WHERE type = 'file_changed';
`,
};
