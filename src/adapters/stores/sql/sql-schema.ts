import type { Migration } from "./migrate.ts"
import type { ColumnTypes } from "./sql-database.ts"

/** The columns that name a session. */
export const sessionTexts = ({ text }: ColumnTypes) =>
  `agent ${text} not null, conversation ${text} not null, audience ${text} not null`

const session = "agent, conversation, audience"

/** The constraint that the rows of a table belong to a session. */
const ofSession = (table: string) => `constraint ${table}_sessions foreign key (${session}) references sessions (${session})`

/** The tables of the first migration. Each stands after the tables that it points to. */
const firstTables = (types: ColumnTypes) => {
  const { text, bytes } = types
  return [
    `create table sessions (${sessionTexts(types)}, version integer not null, state ${text} not null,
      messages integer not null, spoken integer not null, notes integer not null,
      constraint sessions_key primary key (${session}))`,
    `create table messages (${sessionTexts(types)}, position integer not null, turn_id ${text} not null,
      role ${text} not null, speaker_id ${text} not null, speaker_name ${text} not null, at_ms double precision not null,
      spoken integer not null, body ${text} not null,
      constraint messages_key primary key (${session}, position), ${ofSession("messages")})`,
    "create index messages_speaker_id on messages (agent, speaker_id)",
    `create table notes (${sessionTexts(types)}, id ${text} not null, position integer not null, owner ${text} not null,
      body ${text},
      constraint notes_key primary key (${session}, id), ${ofSession("notes")})`,
    `create table memories (${sessionTexts(types)}, user_id ${text} not null, id ${text} not null, kind ${text} not null,
      turn_id ${text} not null, hash ${text} not null, at_ms double precision not null, user_sequence integer not null,
      group_sequence integer, superseded_by ${text}, body ${text} not null,
      constraint memories_key primary key (agent, id))`,
    "create index memories_user_id_user_sequence on memories (agent, user_id, user_sequence)",
    "create index memories_conversation_group_sequence on memories (agent, conversation, group_sequence)",
    "create index memories_user_id_hash on memories (agent, user_id, hash)",
    "create index memories_user_id_at_ms on memories (agent, user_id, at_ms)",
    "create index memories_conversation_at_ms on memories (agent, conversation, at_ms)",
    `create table memory_scopes (agent ${text} not null, scope ${text} not null, epoch integer not null,
      sequence integer not null,
      constraint memory_scopes_key primary key (agent, scope))`,
    `create table vectors (agent ${text} not null, memory_id ${text} not null, model ${text} not null,
      dimensions integer not null, vector ${bytes} not null,
      constraint vectors_key primary key (agent, memory_id, model),
      constraint vectors_memories foreign key (agent, memory_id) references memories (agent, id))`,
    `create table users (agent ${text} not null, user_id ${text} not null, version integer not null,
      constraint users_key primary key (agent, user_id))`,
    `create table statements (agent ${text} not null, user_id ${text} not null, position integer not null,
      turn_id ${text} not null, conversation ${text} not null, audience ${text} not null, body ${text} not null,
      constraint statements_key primary key (agent, user_id, position),
      constraint statements_users foreign key (agent, user_id) references users (agent, user_id))`,
    "create index statements_user_id_turn_id on statements (agent, user_id, turn_id)",
    `create table receipts (${sessionTexts(types)}, user_id ${text} not null, turn_id ${text} not null,
      kind ${text} not null, position integer not null, outcome ${text} not null, attempt integer not null,
      started_ms double precision not null, model ${text}, body ${text} not null,
      constraint receipts_key primary key (${session}, turn_id, kind))`,
    "create index receipts_user_id_started_ms on receipts (agent, user_id, started_ms)",
  ]
}

/** The migrations of the shared tables, oldest first. A migration that was released is never changed. */
export const schemaMigrations: readonly Migration[] = [
  { name: "sessions, memories, users and receipts", statements: firstTables },
  {
    name: "changes of a session's state",
    statements: (types) => [
      `create table state_changes (${sessionTexts(types)}, version integer not null, body ${types.text} not null,
        constraint state_changes_key primary key (${session}, version), ${ofSession("state_changes")})`,
    ],
  },
  {
    // An older process knows nothing of `state_changes`: it would read this column as the newest state and write back an old one.
    // With the column renamed it fails instead.
    name: "the state that stands in a session's row, under a name of its own",
    statements: () => ["alter table sessions rename column state to whole_state"],
  },
  { name: "checksums of vectors", statements: ({ text }) => [`alter table vectors add column checksum ${text}`] },
  {
    // An older process knows nothing of these messages: it would not delete them when a user is forgotten. Without the column under
    // its old name it fails instead.
    name: "messages that are set aside",
    statements: (types) => [
      `create table aside_messages (${sessionTexts(types)}, position integer not null, turn_id ${types.text} not null,
        role ${types.text} not null, speaker_id ${types.text} not null, speaker_name ${types.text} not null,
        at_ms double precision not null, follows integer not null, body ${types.text} not null,
        constraint aside_messages_key primary key (${session}, position), ${ofSession("aside_messages")})`,
      "create index aside_messages_speaker_id on aside_messages (agent, speaker_id)",
      "alter table sessions rename column messages to next_position",
    ],
  },
  {
    name: "bytes that messages name",
    statements: (types) => [
      `create table blobs (agent ${types.text} not null, id ${types.text} not null, size integer not null,
        bytes ${types.bytes} not null,
        constraint blobs_key primary key (agent, id))`,
      `create table session_blobs (${sessionTexts(types)}, id ${types.text} not null,
        constraint session_blobs_key primary key (${session}, id), ${ofSession("session_blobs")})`,
      "create index session_blobs_id on session_blobs (agent, id)",
    ],
  },
  {
    // An older process knows nothing of these copies: it would not delete them when a user is forgotten. Without the column under its
    // old name it fails instead.
    name: "copies of recall indexes",
    statements: ({ text, bytes }) => [
      `create table index_copies (agent ${text} not null, scope ${text} not null, copy ${text} not null,
        part integer not null, parts integer, form ${text} not null, epoch integer not null, sequence integer not null,
        checksum ${text} not null, bytes ${bytes} not null,
        constraint index_copies_key primary key (agent, scope, copy, part))`,
      "alter table memory_scopes rename column epoch to last_deletion",
    ],
  },
]
