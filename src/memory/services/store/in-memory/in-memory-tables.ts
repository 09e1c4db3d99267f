import type { ServiceKey } from "../../../../core/conversation.ts"
import { frozenJson } from "../frozen-json.ts"
import type { JobSettings } from "../job-runner.ts"
import type { Receipt, ReceiptOutcome } from "../receipt.ts"
import type { ProfileStatement, ReceiptRecords, UserRecords } from "../records.ts"
import { compareReceipts, compareTexts, rowId, sessionRowId } from "../row-keys.ts"
import { versionConflict } from "../version-conflict.ts"
import { type JobPorts, JobTable } from "./job-table.ts"
import type { MemoryTable } from "./memory-table.ts"
import type { SessionTable } from "./session-table.ts"

/** All tables of a store in memory. */
export interface Tables {
  readonly sessions: SessionTable
  readonly memories: MemoryTable
  readonly users: UserTable
  readonly receipts: ReceiptTable
  readonly jobs: JobTable
  readonly blobs: BlobTable
}

/** Empty tables beside those of sessions and memories. */
export function emptyTables(sessions: SessionTable, jobs: JobSettings, ports: JobPorts): Omit<Tables, "memories"> {
  return {
    sessions,
    users: new UserTable(sessions),
    receipts: new ReceiptTable(sessions),
    jobs: new JobTable(jobs, ports),
    blobs: { bytes: new Map(), held: new Map() },
  }
}

/** Bytes by agent and id, and the ids that each session holds. */
export interface BlobTable {
  readonly bytes: Map<string, Uint8Array>
  readonly held: Map<string, ReadonlySet<string>>
}

/** A user as the table keeps them. The version never decreases, also when statements are deleted. */
export interface UserRow {
  readonly agent: string
  readonly user: string
  readonly version: number
  readonly statements: readonly ProfileStatement[]
}

/** User profiles in memory. */
export class UserTable implements UserRecords {
  readonly #rows = new Map<string, UserRow>()
  readonly #sessions: Pick<SessionTable, "expectTurn">

  constructor(sessions: Pick<SessionTable, "expectTurn">) {
    this.#sessions = sessions
  }

  async load(key: ServiceKey): ReturnType<UserRecords["load"]> {
    const { version, statements } = this.#rowOf(key)
    // Statements are kept frozen, so in private the list itself can be handed out.
    const isOfGroup = ({ conversation, audience }: ProfileStatement) => audience === "group" && conversation === key.conversation
    const shown = key.audience === "private" ? statements : statements.filter(isOfGroup)
    return Object.freeze({ version, statements: Object.freeze(shown) })
  }

  async append(
    statements: readonly ProfileStatement[],
    { turnId, expectVersion, ofTurn = false, key }: Parameters<UserRecords["append"]>[1],
  ): ReturnType<UserRecords["append"]> {
    if (ofTurn) this.#sessions.expectTurn(key, turnId)
    const row = this.#rowOf(key)
    const { version } = row
    if (statements.length === 0 || row.statements.some((known) => known.turnId === turnId)) return { version, applied: false }
    if (expectVersion !== version) throw versionConflict(key, expectVersion, version)
    this.put({ ...row, version: version + 1, statements: Object.freeze([...row.statements, ...statements]) })
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

  /** Deletes the statements that meet the condition and returns their number. Their users get a new version. */
  deleteStatements(condition: (statement: ProfileStatement, row: UserRow) => boolean): number {
    let count = 0
    for (const row of this.rows()) {
      const left = row.statements.filter((statement) => !condition(statement, row))
      if (left.length === row.statements.length) continue
      count += row.statements.length - left.length
      this.put({ ...row, version: row.version + 1, statements: Object.freeze(left) })
    }
    return count
  }

  /** Ordered by agent, then by user. */
  rows(): readonly UserRow[] {
    return [...this.#rows.values()].sort((a, b) => compareTexts([a.agent, a.user], [b.agent, b.user]))
  }

  #rowOf({ agent, user }: ServiceKey): UserRow {
    return this.#rows.get(rowId(agent, user)) ?? { agent, user, version: 0, statements: [] }
  }
}

const finalOutcomes: readonly ReceiptOutcome[] = ["ok", "empty", "skipped"]

/** Receipts in memory, in the order in which they were first written. */
export class ReceiptTable implements ReceiptRecords {
  readonly #rows = new Map<string, Receipt>()
  readonly #sessions: SessionTable | undefined

  /** Without `sessions` nothing tells if a turn is gone. */
  constructor(sessions?: SessionTable) {
    this.#sessions = sessions
  }

  async put(receipt: Receipt, { ofTurn = false }: Parameters<ReceiptRecords["put"]>[1] = {}): Promise<void> {
    if (ofTurn) this.#sessions?.expectTurn(receipt.key, receipt.turnId)
    const id = rowId(sessionRowId(receipt.key), receipt.turnId, receipt.kind)
    const known = this.#rows.get(id)
    const mayReplace = known?.key.user === receipt.key.user && !finalOutcomes.includes(known.outcome)
    if (known === undefined || mayReplace) this.#rows.set(id, frozenJson(receipt, "receipt"))
  }

  async ofTurn(turnId: string, key: ServiceKey): Promise<readonly Receipt[]> {
    const session = sessionRowId(key)
    return Object.freeze(
      [...this.#rows.values()].filter(
        (row) => row.turnId === turnId && row.key.user === key.user && sessionRowId(row.key) === session,
      ),
    )
  }

  async modelCalls({ agent, user }: ServiceKey, sinceMs: number): Promise<number> {
    const asked = [...this.#rows.values()].filter(
      ({ key, startedMs, model }) => model !== undefined && key.agent === agent && key.user === user && startedMs >= sinceMs,
    )
    return asked.reduce((calls, { attempt }) => calls + attempt, 0)
  }

  has({ key, turnId, kind }: Receipt): boolean {
    return this.#rows.has(rowId(sessionRowId(key), turnId, kind))
  }

  /** Deletes the receipts that meet the condition and returns their number. */
  deleteWhere(condition: (receipt: Receipt) => boolean): number {
    const ids = [...this.#rows].filter(([, receipt]) => condition(receipt)).map(([id]) => id)
    for (const id of ids) this.#rows.delete(id)
    return ids.length
  }

  /** In the order of an export. */
  rows(): readonly Receipt[] {
    return [...this.#rows.values()].sort(compareReceipts)
  }
}
