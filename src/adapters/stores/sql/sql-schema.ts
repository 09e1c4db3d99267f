import { createTable, type Migration, type TableShape } from "./migrate.ts"

const session = ["agent", "conversation", "audience"] as const
/** The columns that name a session, as a migration has them. */
export const sessionTexts = { agent: "text", conversation: "text", audience: "text" } as const
/** The columns that name a user, as a migration has them. */
export const userTexts = { agent: "text", user_id: "text" } as const
const messageStart = {
  ...sessionTexts,
  position: "integer",
  ...({ turn_id: "text", role: "text", speaker_id: "text", speaker_name: "text" } as const),
  at_ms: "double",
} as const
const ofSession = { columns: session, table: "sessions", key: session } as const
const ofUser = { columns: ["agent", "user_id"], table: "users", key: ["agent", "user_id"] } as const

/** The tables of the first migration. Each stands after the tables that it points to. */
const firstTables: Readonly<Record<string, TableShape>> = {
  sessions: {
    columns: { ...sessionTexts, version: "integer", state: "text", messages: "integer", spoken: "integer", notes: "integer" },
    key: session,
  },
  messages: {
    columns: {
      ...messageStart,
      spoken: "integer",
      body: "text",
    },
    key: [...session, "position"],
    references: ofSession,
    indexes: [["agent", "speaker_id"]],
  },
  notes: {
    columns: { ...sessionTexts, id: "text", position: "integer", owner: "text", body: "text?" },
    key: [...session, "id"],
    references: ofSession,
  },
  memories: {
    columns: {
      ...sessionTexts,
      ...userTexts,
      id: "text",
      kind: "text",
      turn_id: "text",
      hash: "text",
      at_ms: "double",
      user_sequence: "integer",
      group_sequence: "integer?",
      superseded_by: "text?",
      body: "text",
    },
    key: ["agent", "id"],
    indexes: [
      ["agent", "user_id", "user_sequence"],
      ["agent", "conversation", "group_sequence"],
      ["agent", "user_id", "hash"],
      ["agent", "user_id", "at_ms"],
      ["agent", "conversation", "at_ms"],
    ],
  },
  memory_scopes: { columns: { agent: "text", scope: "text", epoch: "integer", sequence: "integer" }, key: ["agent", "scope"] },
  vectors: {
    columns: { agent: "text", memory_id: "text", model: "text", dimensions: "integer", vector: "bytes" },
    key: ["agent", "memory_id", "model"],
    references: { columns: ["agent", "memory_id"], table: "memories", key: ["agent", "id"] },
  },
  users: { columns: { ...userTexts, version: "integer" }, key: ["agent", "user_id"] },
  statements: {
    columns: { ...userTexts, position: "integer", turn_id: "text", conversation: "text", audience: "text", body: "text" },
    key: ["agent", "user_id", "position"],
    references: ofUser,
    indexes: [["agent", "user_id", "turn_id"]],
  },
  receipts: {
    columns: {
      ...sessionTexts,
      ...userTexts,
      turn_id: "text",
      kind: "text",
      position: "integer",
      outcome: "text",
      attempt: "integer",
      started_ms: "double",
      model: "text?",
      body: "text",
    },
    key: [...session, "turn_id", "kind"],
    indexes: [["agent", "user_id", "started_ms"]],
  },
}

const stateChanges: TableShape = {
  columns: { ...sessionTexts, version: "integer", body: "text" },
  key: [...session, "version"],
  references: ofSession,
}

const asideMessages: TableShape = {
  columns: {
    ...messageStart,
    follows: "integer",
    body: "text",
  },
  key: [...session, "position"],
  references: ofSession,
  indexes: [["agent", "speaker_id"]],
}

const blobTables: Readonly<Record<string, TableShape>> = {
  blobs: { columns: { agent: "text", id: "text", size: "integer", bytes: "bytes" }, key: ["agent", "id"] },
  session_blobs: {
    columns: { ...sessionTexts, id: "text" },
    key: [...session, "id"],
    references: ofSession,
    indexes: [["agent", "id"]],
  },
}

const indexCopies: TableShape = {
  columns: {
    agent: "text",
    scope: "text",
    copy: "text",
    part: "integer",
    parts: "integer?",
    form: "text",
    epoch: "integer",
    sequence: "integer",
    checksum: "text",
    bytes: "bytes",
  },
  key: ["agent", "scope", "copy", "part"],
}

/** The migrations of the shared tables, oldest first. A migration that was released is never changed. */
export const schemaMigrations: readonly Migration[] = [
  {
    name: "sessions, memories, users and receipts",
    async up(db, types) {
      for (const [name, shape] of Object.entries(firstTables)) await createTable(db, types, name, shape)
    },
  },
  { name: "changes of a session's state", up: (db, types) => createTable(db, types, "state_changes", stateChanges) },
  {
    // An older process knows nothing of `state_changes`: it would read this column as the newest state and write back an old one.
    // With the column renamed it fails instead.
    name: "the state that stands in a session's row, under a name of its own",
    up: ({ schema }) => schema.alterTable("sessions").renameColumn("state", "whole_state").execute(),
  },
  {
    name: "checksums of vectors",
    up: ({ schema }, { text }) => schema.alterTable("vectors").addColumn("checksum", text).execute(),
  },
  {
    // An older process knows nothing of these messages: it would not delete them when a user is forgotten. Without the column under
    // its old name it fails instead.
    name: "messages that are set aside",
    async up(db, types) {
      await createTable(db, types, "aside_messages", asideMessages)
      await db.schema.alterTable("sessions").renameColumn("messages", "next_position").execute()
    },
  },
  {
    name: "bytes that messages name",
    async up(db, types) {
      for (const [name, shape] of Object.entries(blobTables)) await createTable(db, types, name, shape)
    },
  },
  {
    // An older process knows nothing of these copies: it would not delete them when a user is forgotten. Without the column under its
    // old name it fails instead.
    name: "copies of recall indexes",
    async up(db, types) {
      await createTable(db, types, "index_copies", indexCopies)
      await db.schema.alterTable("memory_scopes").renameColumn("epoch", "last_deletion").execute()
    },
  },
]
