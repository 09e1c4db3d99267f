// A process of its own, started by recall-bytes.bench.ts: it prints the most CPU that the main thread takes between two turns of the event loop
// while so many memories are indexed, with code that nothing has run before.
import { ScopeIndex } from "../../src/memory/services/memory/scope-index.ts"
import type { MemoryRecords } from "../../src/memory/services/store/records.ts"
import { changesOf, indexedKey, indexedRows } from "./index-rows.ts"

const records: Pick<MemoryRecords, "changes"> = { changes: changesOf(indexedRows(Number(process.argv[2]))) }
const index = new ScopeIndex(records as MemoryRecords, indexedKey, { model: undefined, maxBytes: Number.POSITIVE_INFINITY })

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let [before, longest, isDone] = [cpuMs(), 0, false]
setImmediate(function tick() {
  const now = cpuMs()
  longest = Math.max(longest, now - before)
  before = now
  if (!isDone) setImmediate(tick)
})
await index.update()
isDone = true
console.log(JSON.stringify(longest))
