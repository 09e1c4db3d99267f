// A process of its own, started with `--expose-gc` by recall-bytes.bench.ts: it prints what the index of so many memories takes.
import { ScopeIndex } from "../../src/memory/services/memory/scope-index.ts"
import type { MemoryRecords, StoredMemory } from "../../src/memory/services/store/records.ts"
import { changesOf, indexedKey, indexedRows } from "./index-rows.ts"
import { collect } from "./measure.ts"

const count = Number(process.argv[2])
const key = indexedKey
const rows = indexedRows(count)
const ask = (index: ScopeIndex) => index.rank({ text: "Where did we go with the dog?", nowMs: Date.UTC(2024, 6, 1), limit: 10 })

function bytesNow(): number {
  for (let i = 0; i < 4; i++) collect({ type: "major" })
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function made(kept: readonly string[]): Promise<ScopeIndex> {
  const records: Pick<MemoryRecords, "changes"> = { changes: changesOf(kept) }
  const index = new ScopeIndex(records as MemoryRecords, key, { model: undefined, maxBytes: Number.POSITIVE_INFINITY })
  await index.update()
  return index
}

// Code and tables that the first index needs are no part of the second.
ask(await made(rows.slice(0, 100)))

const before = bytesNow()
const texts = rows.map((row) => (JSON.parse(row) as StoredMemory).text)
const textBytes = bytesNow() - before
texts.length = 0
const empty = bytesNow()
const index = await made(rows)
const unasked = bytesNow() - empty
ask(index)
const asked = bytesNow() - empty
const each = (bytes: number) => Math.round(bytes / count)
console.log(
  JSON.stringify({
    texts: each(textBytes),
    unasked: each(unasked - textBytes),
    asked: each(asked - textBytes),
    estimate: each(index.bytes - textBytes),
  }),
)
