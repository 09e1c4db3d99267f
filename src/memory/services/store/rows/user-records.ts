import type { ServiceKey } from "../../../../core/conversation.ts"
import { PromptStrataError } from "../../../../core/errors.ts"
import { frozenJson } from "../frozen-json.ts"
import type { ProfileStatement, UserRecords } from "../records.ts"
import { userOf } from "./row-tables.ts"
import { type Conditions, lastPosition, type RowDatabase, type Rows } from "./rows.ts"
import { expectTurn } from "./session-rows.ts"

/** Users' statements about themselves, in tables. */
export function createUserRecords({ readOnce, write }: RowDatabase): UserRecords {
  return {
    // The version is read first: a change that came between makes `append` refuse. Before the first one, nothing was stated.
    load: (key) =>
      readOnce(async (rows) => {
        const version = (await rows.select("users", userOf(key), { columns: ["version"] }))[0]?.version ?? 0
        const bodies = { columns: ["body"], order: ["position"] } as const
        const found = version > 0 ? await rows.select("statements", statementsFor(key), bodies) : []
        return Object.freeze({ version, statements: Object.freeze(found.map(({ body }) => body)) })
      }),
    append: async (given, options) => {
      const statements = frozenJson(given, "statements")
      return write((rows) => appendStatements(rows, statements, options))
    },
  }
}

/** The statements that a key may see: in a group only those that were made in it, and so with an audience that is none. */
export function statementsFor(key: ServiceKey): Conditions<"statements"> {
  return key.audience === "private" ? userOf(key) : { ...userOf(key), conversation: key.conversation, audience: "group" }
}

async function appendStatements(
  rows: Rows,
  statements: readonly ProfileStatement[],
  { turnId, expectVersion, ofTurn = false, key }: Parameters<UserRecords["append"]>[1],
): ReturnType<UserRecords["append"]> {
  if (ofTurn) await expectTurn(rows, key, turnId)
  const { version } = await rows.lockOrMake("users", { ...userOf(key), version: 0 })
  const done = await rows.select("statements", { ...userOf(key), turn_id: turnId }, { columns: ["position"], limit: 1 })
  if (done.length > 0 || statements.length === 0) return { version, applied: false }
  if (version !== expectVersion) throw versionConflict(key, expectVersion, version)
  await insertStatements(rows, statements, key)
  await rows.update("users", userOf(key), { version: version + 1 })
  return { version: version + 1, applied: true }
}

/** Adds statements of a locked user after the existing ones, of which `after` is the position of the last. */
export async function insertStatements(
  rows: Rows,
  statements: readonly ProfileStatement[],
  user: Pick<ServiceKey, "agent" | "user">,
  after?: number,
): Promise<void> {
  const [last] = after === undefined ? await rows.select("statements", userOf(user), lastPosition) : []
  const position = (after ?? last?.position ?? -1) + 1
  const added = statements.map((body, at) => {
    const { turnId, conversation, audience } = body
    return { ...userOf(user), turn_id: turnId, conversation, audience, position: position + at, body }
  })
  await rows.insert("statements", added)
}

/** The error that every store throws for a profile change that expects another version than the store has. */
export function versionConflict({ agent, user }: ServiceKey, expectedVersion: number, foundVersion: number): PromptStrataError {
  const message = `The profile of user ${JSON.stringify(user)} of agent ${JSON.stringify(agent)} is at version ${foundVersion}, not at ${expectedVersion} as this change expects: another turn changed it meanwhile.`
  const hint = "Nothing was written. Load the profile again and repeat the change."
  return new PromptStrataError("version-conflict", message, { hint, evidence: { agent, user, expectedVersion, foundVersion } })
}
