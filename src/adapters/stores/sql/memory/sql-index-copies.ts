import type { ServiceKey } from "../../../../core/conversation.ts"
import { otherWork } from "../../../../memory/services/memory/slices.ts"
import type { MemoryRecords } from "../../../../memory/services/store/records.ts"
import { having, keyText } from "../key-columns.ts"
import { bytesChecksum } from "../row-body.ts"
import type { SqlDatabase } from "../sql-database.ts"
import type { Queries, Tables } from "../sql-tables.ts"
import { readCopyPart } from "./copy-part.ts"
import { scopeEpoch, scopeOfKey } from "./memory-scope.ts"

type IndexMethods = Required<Pick<MemoryRecords, "keepIndex" | "readIndex">>
type Given = Parameters<IndexMethods["keepIndex"]>[0]

/** The copy of an index that is being written. */
interface Written extends Pick<Given, "form" | "cursor"> {
  readonly agent: string
  readonly scope: string
  readonly copy: string
}

/** Copies of recall indexes in a database. Each part is written and read in a transaction of its own, so that none takes long. */
export function createSqlIndexCopies({ read, write }: SqlDatabase): IndexMethods {
  const dropAll = async (written: Written, isKept: boolean): Promise<void> => {
    while (await write((db) => dropPart(db, written, isKept))) {}
  }
  return {
    async keepIndex({ form, cursor, parts }, key) {
      const written: Written = { form, cursor, agent: keyText(key.agent), scope: scopeOfKey(key), copy: crypto.randomUUID() }
      let count = 0
      let isKept = false
      try {
        for await (const bytes of parts) {
          if (!(await write((db) => putPart(db, written, count, bytes)))) return false
          count += 1
        }
        isKept = count > 0 && (await write((db) => finish(db, written, count)))
        return isKept
      } finally {
        await dropAll(written, isKept)
      }
    },
    async readIndex(key, { form }) {
      const found = await read((db) => findCopy(db, key, form))
      if (found === undefined) return undefined
      const { parts: count, epoch, sequence } = found
      const parts: Uint8Array[] = []
      for (let part = 0; part < (count ?? 0); part++) {
        const bytes = await read((db) => readPart(db, { ...found, part }))
        if (bytes === undefined) return undefined
        parts.push(bytes)
        await otherWork()
      }
      return { form, cursor: { epoch, sequence }, parts }
    },
  }
}

/** Locks the scope of a copy until the transaction ends. False if `epoch` is given and is over. */
async function lockScope(db: Queries, { agent, scope }: Written, epoch?: number): Promise<boolean> {
  const row = { agent, scope, ...(epoch === undefined ? {} : { last_deletion: epoch }) }
  const locked = db.updateTable("memory_scopes").set(({ ref }) => ({ sequence: ref("sequence") }))
  return (await locked.where(having(row)).returning("scope").executeTakeFirst()) !== undefined
}

async function putPart(db: Queries, written: Written, part: number, bytes: Uint8Array): Promise<boolean> {
  if (!(await lockScope(db, written, written.cursor.epoch))) return false
  const { agent, scope, copy, form, cursor } = written
  const row = { agent, scope, copy, part, parts: null, form, ...cursor, checksum: bytesChecksum(bytes), bytes }
  await db.insertInto("index_copies").values(row).execute()
  return true
}

/** Makes a copy the one that is read. False if another one came first, which took its parts away. */
async function finish(db: Queries, written: Written, count: number): Promise<boolean> {
  if (!(await lockScope(db, written, written.cursor.epoch))) return false
  const { agent, scope, copy } = written
  const ofScope = having({ agent, scope })
  const own = db.selectFrom("index_copies").select("part").where(ofScope).where("copy", "=", copy)
  if ((await own.execute()).length < count) return false
  const parts = db.updateTable("index_copies").where(ofScope)
  await parts.set({ parts: null }).where("copy", "<>", copy).where("parts", "is not", null).execute()
  await parts
    .set({ parts: count })
    .where("copy", "=", copy)
    .where("part", "=", count - 1)
    .execute()
  return true
}

/** Deletes a part of a copy that was not kept, or one of the other copies if it was. False if none is left, or if another copy is read by now. */
async function dropPart(db: Queries, written: Written, isKept: boolean): Promise<boolean> {
  // Else a copy that another process finishes at the same time could lose a part after it is the one that is read.
  await lockScope(db, written)
  const { agent, scope, copy } = written
  const rows = db.selectFrom("index_copies").select(["copy", "part"]).where(having({ agent, scope }))
  const isRead = await rows.where("copy", "=", copy).where("parts", "is not", null).executeTakeFirst()
  if (isKept && isRead === undefined) return false
  const row = await rows
    .where("copy", isKept ? "<>" : "=", copy)
    .limit(1)
    .executeTakeFirst()
  if (row)
    await db
      .deleteFrom("index_copies")
      .where(having({ agent, scope, ...row }))
      .execute()
  return row !== undefined
}

async function findCopy(db: Queries, key: ServiceKey, form: string) {
  const columns = ["agent", "scope", "copy", "parts", "epoch", "sequence"] as const
  const named = having({ agent: keyText(key.agent), scope: scopeOfKey(key), form, epoch: await scopeEpoch(db, key) })
  return db.selectFrom("index_copies").select(columns).where(named).where("parts", "is not", null).executeTakeFirst()
}

async function readPart(
  db: Queries,
  { agent, scope, copy, part }: Pick<Tables["index_copies"], "agent" | "scope" | "copy" | "part">,
) {
  const columns = { agent, scope, copy, part }
  const row = await db.selectFrom("index_copies").select(["bytes", "checksum"]).where(having(columns)).executeTakeFirst()
  return row && readCopyPart({ ...columns, ...row })
}
