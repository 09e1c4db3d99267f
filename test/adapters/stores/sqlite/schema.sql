CREATE TABLE aside_messages (
  agent text not null,
  conversation text not null,
  audience text not null,
  position integer not null,
  turn_id text not null,
  role text not null,
  speaker_id text not null,
  speaker_name text not null,
  at_ms double precision not null,
  follows integer not null,
  body text not null,
  constraint aside_messages_key primary key (agent, conversation, audience, position),
  constraint aside_messages_sessions foreign key (agent, conversation, audience) references sessions (agent, conversation, audience))

CREATE TABLE blobs (
  agent text not null,
  id text not null,
  size integer not null,
  bytes blob not null,
  constraint blobs_key primary key (agent, id))

CREATE TABLE index_copies (
  agent text not null,
  scope text not null,
  copy text not null,
  part integer not null,
  parts integer,
  form text not null,
  epoch integer not null,
  sequence integer not null,
  checksum text not null,
  bytes blob not null,
  constraint index_copies_key primary key (agent, scope, copy, part))

CREATE TABLE jobs (
  agent text not null,
  conversation text not null,
  audience text not null,
  user_id text not null,
  id text not null,
  position integer not null,
  kind text not null,
  state text not null,
  attempts integer not null,
  due_ms double precision not null,
  ended_ms double precision,
  error text,
  body text,
  constraint jobs_key primary key (id))

CREATE TABLE leases (
  agent text not null,
  owner text not null,
  expires_ms double precision not null,
  constraint leases_key primary key (agent))

CREATE TABLE memories (
  agent text not null,
  conversation text not null,
  audience text not null,
  user_id text not null,
  id text not null,
  kind text not null,
  turn_id text not null,
  hash text not null,
  at_ms double precision not null,
  user_sequence integer not null,
  group_sequence integer,
  superseded_by text,
  body text not null,
  constraint memories_key primary key (agent, id))

CREATE TABLE memory_scopes (
  agent text not null,
  scope text not null,
  last_deletion integer not null,
  sequence integer not null,
  constraint memory_scopes_key primary key (agent, scope))

CREATE TABLE messages (
  agent text not null,
  conversation text not null,
  audience text not null,
  position integer not null,
  turn_id text not null,
  role text not null,
  speaker_id text not null,
  speaker_name text not null,
  at_ms double precision not null,
  spoken integer not null,
  body text not null,
  constraint messages_key primary key (agent, conversation, audience, position),
  constraint messages_sessions foreign key (agent, conversation, audience) references sessions (agent, conversation, audience))

CREATE TABLE notes (
  agent text not null,
  conversation text not null,
  audience text not null,
  id text not null,
  position integer not null,
  owner text not null,
  body text,
  constraint notes_key primary key (agent, conversation, audience, id),
  constraint notes_sessions foreign key (agent, conversation, audience) references sessions (agent, conversation, audience))

CREATE TABLE receipts (
  agent text not null,
  conversation text not null,
  audience text not null,
  user_id text not null,
  turn_id text not null,
  kind text not null,
  position integer not null,
  outcome text not null,
  attempt integer not null,
  started_ms double precision not null,
  model text,
  body text not null,
  constraint receipts_key primary key (agent, conversation, audience, turn_id, kind))

CREATE TABLE schema_versions (
  part text not null primary key,
  version integer not null)

CREATE TABLE session_blobs (
  agent text not null,
  conversation text not null,
  audience text not null,
  id text not null,
  constraint session_blobs_key primary key (agent, conversation, audience, id),
  constraint session_blobs_sessions foreign key (agent, conversation, audience) references sessions (agent, conversation, audience))

CREATE TABLE sessions (
  agent text not null,
  conversation text not null,
  audience text not null,
  version integer not null,
  whole_state text not null,
  next_position integer not null,
  spoken integer not null,
  notes integer not null,
  constraint sessions_key primary key (agent, conversation, audience))

CREATE TABLE state_changes (
  agent text not null,
  conversation text not null,
  audience text not null,
  version integer not null,
  body text not null,
  constraint state_changes_key primary key (agent, conversation, audience, version),
  constraint state_changes_sessions foreign key (agent, conversation, audience) references sessions (agent, conversation, audience))

CREATE TABLE statements (
  agent text not null,
  user_id text not null,
  position integer not null,
  turn_id text not null,
  conversation text not null,
  audience text not null,
  body text not null,
  constraint statements_key primary key (agent, user_id, position),
  constraint statements_users foreign key (agent, user_id) references users (agent, user_id))

CREATE TABLE users (
  agent text not null,
  user_id text not null,
  version integer not null,
  constraint users_key primary key (agent, user_id))

CREATE TABLE vectors (
  agent text not null,
  memory_id text not null,
  model text not null,
  dimensions integer not null,
  vector blob not null,
  checksum text,
  constraint vectors_key primary key (agent, memory_id, model),
  constraint vectors_memories foreign key (agent, memory_id) references memories (agent, id))

CREATE INDEX aside_messages_speaker_id on aside_messages (agent, speaker_id)

CREATE INDEX jobs_agent_conversation_audience_position on jobs (state, agent, conversation, audience, position)

CREATE INDEX jobs_position on jobs (state, position)

CREATE INDEX memories_conversation_at_ms on memories (agent, conversation, at_ms)

CREATE INDEX memories_conversation_group_sequence on memories (agent, conversation, group_sequence)

CREATE INDEX memories_user_id_at_ms on memories (agent, user_id, at_ms)

CREATE INDEX memories_user_id_hash on memories (agent, user_id, hash)

CREATE INDEX memories_user_id_user_sequence on memories (agent, user_id, user_sequence)

CREATE INDEX messages_speaker_id on messages (agent, speaker_id)

CREATE INDEX receipts_user_id_started_ms on receipts (agent, user_id, started_ms)

CREATE INDEX session_blobs_id on session_blobs (agent, id)

CREATE INDEX statements_user_id_turn_id on statements (agent, user_id, turn_id)
