import { messageOf, PromptStrataError } from "../core/errors.ts"
import { type StoreRow, storeTables } from "./store-row.ts"

/** What the rows of each table hold beside `table`. */
const fields: Readonly<Record<StoreRow["table"], Readonly<Record<string, "string" | "number" | "object">>>> = {
  session: { agent: "string", conversation: "string", audience: "string", version: "number", state: "object" },
  message: { agent: "string", conversation: "string", audience: "string", message: "object" },
  note: { agent: "string", conversation: "string", audience: "string", id: "string" },
  memory: { hash: "string", memory: "object" },
  vector: { agent: "string", memoryId: "string", model: "string", values: "string" },
  user: { agent: "string", user: "string", version: "number" },
  statement: { agent: "string", user: "string", statement: "object" },
  receipt: { receipt: "object" },
  job: { job: "object", attempts: "number" },
}

/** Reads line `number` (from 1) of an export. A line that is none throws `store` and says what is wrong with it. */
export function readStoreRow(line: string, number: number): StoreRow {
  const row = parsed(line, number)
  if (typeof row !== "object" || row === null || !("table" in row)) throw fault(number, "no table is named")
  const table = storeTables.find((known) => known === row.table)
  if (table === undefined)
    throw fault(number, `the table ${JSON.stringify(row.table)} is unknown; there are ${storeTables.join(", ")}`)
  for (const [name, type] of Object.entries(fields[table])) {
    const value: unknown = Reflect.get(row, name)
    if (typeof value !== type || value === null) throw fault(number, `a row of ${table} needs ${name} (${type})`)
  }
  return row as StoreRow
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw fault(number, `it is no JSON (${messageOf(cause)})`)
  }
}

function fault(number: number, what: string): PromptStrataError {
  return new PromptStrataError("store", `expected an exported row in line ${number}, but ${what}.`, {
    hint: "Nothing of this line was imported; export again from the store that it came from.",
    evidence: { line: number },
  })
}
