import type { ServiceKey } from "../../../core/conversation.ts"
import { frozenJson } from "../../../memory/services/store/frozen-json.ts"
import type { ProfileStatement, UserRecords } from "../../../memory/services/store/records.ts"
import { versionConflict } from "../../../memory/services/store/version-conflict.ts"
import { aboutUser, having, keyText, userColumns, userNames } from "./key-columns.ts"
import { lockAgent } from "./memory/memory-scope.ts"
import { prepared } from "./prepared.ts"
import { bodyText, readBody } from "./row-body.ts"
import { expectTurn } from "./session/read-session.ts"
import type { SqlDatabase } from "./sql-database.ts"
import type { Queries, Tables, UserColumns } from "./sql-tables.ts"

/** Users' statements about themselves, in a database. */
export function createSqlUserRecords({ read, write }: SqlDatabase): UserRecords {
  return {
    load: (key) => read((db) => loadUser(db, key)),
    append: (statements, options) => write((db) => appendStatements(db, statements, options)),
  }
}

async function loadUser(db: Queries, key: ServiceKey): ReturnType<UserRecords["load"]> {
  const [user] = (await selectUser(db, userColumns(key))).rows
  // A group sees only the statements that were made in it, and so does an audience that is none.
  const { rows } =
    key.audience === "private"
      ? await selectStatements(db, userColumns(key))
      : await selectInGroup(db, { ...userColumns(key), conversation: keyText(key.conversation) })
  const nameOf = (position: number) => ({ table: "statements", columns: { ...userColumns(key), position } })
  const statements = rows.map(({ position, body }) => readBody<ProfileStatement>(body, nameOf(position)))
  return { version: user?.version ?? 0, statements }
}

const selectUser = prepared(userNames, (db, user: UserColumns) => db.selectFrom("users").select("version").where(having(user)))

const selectStatements = prepared(userNames, (db, user: UserColumns) =>
  db.selectFrom("statements").select(["position", "body"]).where(having(user)).orderBy("position"),
)

const selectInGroup = prepared(
  [...userNames, "conversation"],
  (db, within: UserColumns & Pick<Tables["statements"], "conversation">) =>
    db
      .selectFrom("statements")
      .select(["position", "body"])
      .where(having(within))
      .where("audience", "=", "group")
      .orderBy("position"),
)

async function appendStatements(
  db: Queries,
  statements: readonly ProfileStatement[],
  { turnId, expectVersion, ofTurn = false, key }: Parameters<UserRecords["append"]>[1],
): ReturnType<UserRecords["append"]> {
  if (ofTurn) {
    await lockAgent(db, key.agent)
    await expectTurn(db, key, turnId)
  }
  const version = await lockUser(db, key)
  const said = db.selectFrom("statements").select("position").where(aboutUser(key)).where("turn_id", "=", keyText(turnId))
  const done = await said.limit(1).executeTakeFirst()
  if (done !== undefined || statements.length === 0) return { version, applied: false }
  if (version !== expectVersion) throw versionConflict(key, expectVersion, version)
  await insertStatements(db, statements, key)
  const next = { version: version + 1 }
  await db.updateTable("users").set(next).where(aboutUser(key)).execute()
  return { ...next, applied: true }
}

/** Locks a user's row until the transaction ends, makes it when it is missing, and returns the version. */
async function lockUser(db: Queries, key: ServiceKey): Promise<number> {
  const { version } = await db
    .insertInto("users")
    .values({ ...userColumns(key), version: 0 })
    .onConflict((conflict) =>
      conflict.columns(["agent", "user_id"]).doUpdateSet(({ ref }) => ({ version: ref("users.version") })),
    )
    .returning("version")
    .executeTakeFirstOrThrow()
  return version
}

/** Adds statements of a locked user after the existing ones. */
export async function insertStatements(
  db: Queries,
  statements: readonly ProfileStatement[],
  user: Pick<ServiceKey, "agent" | "user">,
): Promise<void> {
  const own = db.selectFrom("statements").select("position").where(aboutUser(user))
  const last = await own.orderBy("position", "desc").limit(1).executeTakeFirst()
  for (const [at, statement] of statements.entries()) {
    const { turnId, conversation, audience } = statement
    const said = { turn_id: keyText(turnId), conversation: keyText(conversation), audience }
    const body = bodyText(frozenJson(statement, `statements[${at}]`))
    const row = { ...userColumns(user), ...said, position: (last?.position ?? -1) + 1 + at, body }
    await db.insertInto("statements").values(row).execute()
  }
}
