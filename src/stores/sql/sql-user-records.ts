import type { ServiceKey } from "../../core/keys.ts"
import { frozenJson } from "../../services/frozen-json.ts"
import type { UserRecords } from "../../services/store.ts"
import type { ProfileStatement } from "../../services/user-profile.ts"
import { versionConflict } from "../../services/version-conflict.ts"
import { keyText, userColumns } from "./key-columns.ts"
import type { SqlDatabase } from "./sql-database.ts"
import type { Queries } from "./sql-tables.ts"

/** What users said of themselves, in a database. */
export function createSqlUserRecords({ read, write }: SqlDatabase): UserRecords {
  return {
    load: (key) => read((db) => loadUser(db, key)),
    append: (statements, options) => write((db) => appendStatements(db, statements, options)),
  }
}

async function loadUser(db: Queries, key: ServiceKey): ReturnType<UserRecords["load"]> {
  const columns = userColumns(key)
  const user = await db
    .selectFrom("users")
    .select("version")
    .where(({ and }) => and(columns))
    .executeTakeFirst()
  let shown = db
    .selectFrom("statements")
    .select("body")
    .where(({ and }) => and(columns))
  // A group sees what was said in it.
  if (key.audience === "group")
    shown = shown.where("audience", "=", "group").where("conversation", "=", keyText(key.conversation))
  const rows = await shown.orderBy("position").execute()
  return { version: user?.version ?? 0, statements: rows.map(({ body }) => JSON.parse(body) as ProfileStatement) }
}

async function appendStatements(
  db: Queries,
  statements: readonly ProfileStatement[],
  { turnId, expectVersion, key }: Parameters<UserRecords["append"]>[1],
): ReturnType<UserRecords["append"]> {
  const columns = userColumns(key)
  const version = await lockUser(db, key)
  const done = await db
    .selectFrom("statements")
    .select("position")
    .where(({ and }) => and(columns))
    .where("turn_id", "=", keyText(turnId))
    .limit(1)
    .executeTakeFirst()
  if (done !== undefined || statements.length === 0) return { version, applied: false }
  if (version !== expectVersion) throw versionConflict(key, expectVersion, version)
  await insertStatements(db, statements, key)
  await setUserVersion(db, key, version + 1)
  return { version: version + 1, applied: true }
}

/** The user's version, made where there is none; until the transaction ends nobody else changes the user. */
async function lockUser(db: Queries, user: OfUser): Promise<number> {
  const { version } = await db
    .insertInto("users")
    .values({ ...userColumns(user), version: 0 })
    .onConflict((conflict) =>
      conflict.columns(["agent", "user_id"]).doUpdateSet(({ ref }) => ({ version: ref("users.version") })),
    )
    .returning("version")
    .executeTakeFirstOrThrow()
  return version
}

/** Sets the version of a user that is locked. */
async function setUserVersion(db: Queries, user: OfUser, version: number): Promise<void> {
  await db
    .updateTable("users")
    .set({ version })
    .where(({ and }) => and(userColumns(user)))
    .execute()
}

/** Adds statements of a user that is locked after those that are there. */
export async function insertStatements(db: Queries, statements: readonly ProfileStatement[], user: OfUser): Promise<void> {
  const columns = userColumns(user)
  const last = await db
    .selectFrom("statements")
    .select("position")
    .where(({ and }) => and(columns))
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst()
  for (const [at, statement] of statements.entries())
    await db
      .insertInto("statements")
      .values({
        ...columns,
        position: (last?.position ?? -1) + 1 + at,
        turn_id: keyText(statement.turnId),
        conversation: keyText(statement.conversation),
        audience: statement.audience,
        body: JSON.stringify(frozenJson(statement, `statements[${at}]`)),
      })
      .execute()
}

type OfUser = Pick<ServiceKey, "agent" | "user">
