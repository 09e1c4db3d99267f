import { PromptStrataError } from "../../core/errors.ts"

export type Sqlite = typeof import("node:sqlite")
export type SqliteDatabase = InstanceType<Sqlite["DatabaseSync"]>

/** Node's own SQLite, loaded when first needed. Throws `missing-dependency` where this Node was built without it. */
export async function loadSqlite(): Promise<Sqlite> {
  try {
    return await import("node:sqlite")
  } catch (cause) {
    throw new PromptStrataError(
      "missing-dependency",
      "The embedded store needs node:sqlite, which this Node was built without.",
      {
        cause,
        hint: "Use a Node of nodejs.org, 22.13 or newer, or openStore({ url }) with PostgreSQL.",
      },
    )
  }
}
