import type { JobTable } from "./job-table.ts"
import type { MemoryTable } from "./memory-table.ts"
import type { ReceiptTable } from "./receipt-table.ts"
import type { SessionTable } from "./session-table.ts"
import type { UserTable } from "./user-table.ts"

/** Everything that a store in memory keeps. */
export interface Tables {
  readonly sessions: SessionTable
  readonly memories: MemoryTable
  readonly users: UserTable
  readonly receipts: ReceiptTable
  readonly jobs: JobTable
}
