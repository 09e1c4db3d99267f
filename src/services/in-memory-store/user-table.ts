import type { ServiceKey } from "../../core/keys.ts"
import { frozenJson } from "../frozen-json.ts"
import type { UserRecords } from "../store.ts"
import type { ProfileStatement } from "../user-profile.ts"
import { versionConflict } from "../version-conflict.ts"
import { compareTexts, rowId } from "./row-id.ts"

/** A user as the table keeps them. The version never goes back, whatever is deleted. */
export interface UserRow {
  readonly agent: string
  readonly user: string
  readonly version: number
  readonly statements: readonly ProfileStatement[]
}

/** What users said of themselves, in memory. */
export class UserTable implements UserRecords {
  readonly #rows = new Map<string, UserRow>()

  async load(key: ServiceKey): ReturnType<UserRecords["load"]> {
    const { version, statements } = this.#rowOf(key)
    return Object.freeze({ version, statements: Object.freeze(statements.filter((statement) => mayShow(statement, key))) })
  }

  async append(
    statements: readonly ProfileStatement[],
    { turnId, expectVersion, key }: Parameters<UserRecords["append"]>[1],
  ): ReturnType<UserRecords["append"]> {
    const row = this.#rowOf(key)
    const { version } = row
    if (statements.length === 0 || row.statements.some((known) => known.turnId === turnId)) return { version, applied: false }
    if (expectVersion !== version) throw versionConflict(key, expectVersion, version)
    const added = frozenJson(statements, "statements")
    this.put({ ...row, version: version + 1, statements: Object.freeze([...row.statements, ...added]) })
    return { version: version + 1, applied: true }
  }

  has(agent: string, user: string): boolean {
    return this.#rows.has(rowId(agent, user))
  }

  put(row: UserRow): void {
    this.#rows.set(rowId(row.agent, row.user), row)
  }

  delete(agent: string, user: string): void {
    this.#rows.delete(rowId(agent, user))
  }

  /** In the order of agents and users. */
  rows(): readonly UserRow[] {
    return [...this.#rows.values()].sort((a, b) => compareTexts([a.agent, a.user], [b.agent, b.user]))
  }

  #rowOf({ agent, user }: ServiceKey): UserRow {
    return this.#rows.get(rowId(agent, user)) ?? { agent, user, version: 0, statements: [] }
  }
}

/** A group sees what was said in it. */
function mayShow({ conversation, audience }: ProfileStatement, key: ServiceKey): boolean {
  return key.audience === "private" || (audience === "group" && conversation === key.conversation)
}
