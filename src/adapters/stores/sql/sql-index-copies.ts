import type { ServiceKey } from "../../../core/conversation.ts"
import { otherWork } from "../../../memory/services/recall/documents/steps.ts"
import type { MemoryRecords } from "../../../memory/services/store/records.ts"
import { scopeEpoch, scopeOfKey } from "../../../memory/services/store/rows/memory-scopes.ts"
import type { RowDatabase, Rows } from "../../../memory/services/store/rows/rows.ts"

type IndexMethods = Required<Pick<MemoryRecords, "keepIndex" | "readIndex">>
type Given = Parameters<IndexMethods["keepIndex"]>[0]

/** The copy of an index that is being written. */
interface Written extends Pick<Given, "form" | "cursor"> {
  readonly scope: { readonly agent: string; readonly scope: string }
  readonly copy: string
}

/**
 * Copies of recall indexes in a database. Each part is written and read in a transaction of its own, so that none takes long. `settled`
 * waits until no copy is being written.
 */
export function createSqlIndexCopies({ read, write }: RowDatabase): IndexMethods & { settled(): Promise<unknown> } {
  const keep = async ({ form, cursor, parts }: Given, key: ServiceKey): Promise<boolean> => {
    const written: Written = { form, cursor, scope: scopeOfKey(key).row, copy: crypto.randomUUID() }
    let count = 0
    let isKept = false
    try {
      for await (const bytes of parts) {
        if (!(await write((rows) => putPart(rows, written, count, bytes)))) return false
        count += 1
      }
      isKept = count > 0 && (await write((rows) => finish(rows, written, count)))
      return isKept
    } finally {
      while (await write((rows) => dropPart(rows, written, isKept))) {}
    }
  }
  const running = new Set<Promise<boolean>>()
  return {
    settled: () => Promise.allSettled(running),
    keepIndex(copy, key) {
      const kept = keep(copy, key).finally(() => running.delete(kept))
      running.add(kept)
      return kept
    },
    async readIndex(key, { form }) {
      const found = await read((rows) => findCopy(rows, key, form))
      if (found === undefined) return undefined
      const { parts: count, epoch, sequence, ...copy } = found
      const parts: Uint8Array[] = []
      for (let part = 0; part < (count ?? 0); part++) {
        const row = await read(async (rows) => (await rows.select("index_copies", { ...copy, part }, { columns: ["bytes"] }))[0])
        if (row === undefined) return undefined
        parts.push(row.bytes)
        await otherWork()
      }
      return { form, cursor: { epoch, sequence }, parts }
    },
  }
}

/** Locks the scope of a copy until the transaction ends. False if its epoch is over. */
async function isCurrent(rows: Rows, { scope, cursor }: Written): Promise<boolean> {
  return (await rows.lock("memory_scopes", { ...scope, last_deletion: cursor.epoch })).length > 0
}

async function putPart(rows: Rows, written: Written, part: number, bytes: Uint8Array): Promise<boolean> {
  if (!(await isCurrent(rows, written))) return false
  const { scope, copy, form, cursor } = written
  await rows.insert("index_copies", [{ ...scope, copy, part, parts: null, form, ...cursor, bytes }])
  return true
}

/** Makes a copy the one that is read. False if another one came first, which took its parts away. */
async function finish(rows: Rows, written: Written, count: number): Promise<boolean> {
  if (!(await isCurrent(rows, written))) return false
  const { scope, copy } = written
  const own = await rows.select("index_copies", { ...scope, copy }, { columns: ["part"] })
  if (own.length < count) return false
  await rows.update("index_copies", { ...scope, copy: { notIn: [copy] }, parts: { isNot: null } }, { parts: null })
  await rows.update("index_copies", { ...scope, copy, part: count - 1 }, { parts: count })
  return true
}

/** Deletes a part of a copy that was not kept, or one of the other copies if it was. False if none is left, or if another copy is read by now. */
async function dropPart(rows: Rows, { scope, copy }: Written, isKept: boolean): Promise<boolean> {
  // Else a copy that another process finishes at the same time could lose a part after it is the one that is read.
  await rows.lock("memory_scopes", scope)
  const one = { columns: ["copy", "part"], limit: 1 } as const
  const isRead = (await rows.select("index_copies", { ...scope, copy, parts: { isNot: null } }, one)).length > 0
  if (isKept && !isRead) return false
  const [row] = await rows.select("index_copies", { ...scope, copy: isKept ? { notIn: [copy] } : copy }, one)
  if (row) await rows.delete("index_copies", { ...scope, ...row })
  return row !== undefined
}

async function findCopy(rows: Rows, key: ServiceKey, form: string) {
  const columns = ["agent", "scope", "copy", "parts", "epoch", "sequence"] as const
  const named = { ...scopeOfKey(key).row, form, epoch: await scopeEpoch(rows, key), parts: { isNot: null } }
  return (await rows.select("index_copies", named, { columns }))[0]
}
