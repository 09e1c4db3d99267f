import type { ServiceKey } from "../../core/conversation.ts"
import { RecallIndex } from "../recall/recall-index.ts"
import type { RecallHit, RecallQuery } from "../recall/recall-query.ts"
import type { MemoryCursor, MemoryRecords, StoredMemory } from "../store/records.ts"
import { ownerOf, rowId, scopeOf } from "../store/row-keys.ts"
import { normaliseMemoryText } from "./duplicates.ts"
import { toldFact } from "./told-fact.ts"

/** Recall indexes by scope. Each is made when it is first needed; the least recently used ones are dropped when all take too much memory. */
export class ScopeIndexes {
  readonly #records: MemoryRecords
  readonly #settings: { readonly model: string | undefined; readonly maxBytes: number }
  readonly #indexes = new Map<string, ScopeIndex>()

  constructor(records: MemoryRecords, settings: { readonly model: string | undefined; readonly maxBytes: number }) {
    this.#records = records
    this.#settings = settings
  }

  get size(): number {
    return this.#indexes.size
  }

  /** The index of the key's scope, up to date. */
  async current(key: ServiceKey): Promise<ScopeIndex> {
    const scope = scopeOf(key)
    const known = this.#indexes.get(scope)
    const index = known ?? new ScopeIndex(this.#records, key, this.#settings.model)
    // Set again, so that the order of the map is the order of use.
    this.#indexes.delete(scope)
    this.#indexes.set(scope, index)
    if ((await index.update()) || known === undefined) this.#makeRoom(index)
    return index
  }

  #makeRoom(used: ScopeIndex): void {
    let bytes = 0
    for (const index of this.#indexes.values()) bytes += index.bytes
    for (const [scope, index] of this.#indexes) {
      if (bytes <= this.#settings.maxBytes) return
      if (index === used) continue
      bytes -= index.bytes
      this.#indexes.delete(scope)
    }
  }
}

const pageSize = 500
/** The approximate size of a memory without its text and its place in the index. */
const rowBytes = 400
/** The approximate size of an index without memories. */
const emptyBytes = 10_000

/** The characters that are indexed before other work of the process has its turn. That many take a few milliseconds. */
const sliceCharacters = 4_096
/** A memory costs as much beside its text as this many characters. */
const memoryCharacters = 64

/** Lets timers and other waiting work of the process run. A host without `setImmediate` waits for a timer. */
function otherWork(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

const facts = new WeakMap<StoredMemory, string | undefined>()

/**
 * The name of the fact that a memory tells: who, and what of them, by its keys or else by its words. Memories of one owner with one name
 * tell it at different times.
 */
export function factOf(memory: StoredMemory): string | undefined {
  if (!facts.has(memory)) facts.set(memory, readFact(memory))
  return facts.get(memory)
}

function readFact(memory: StoredMemory): string | undefined {
  const { keys, kind, text, speaker } = memory
  const told = kind === "dialogue" ? toldFact(text) : undefined
  const [subject, relation] = keys?.relation === undefined ? [speaker.name, told] : [keys.subject, keys.relation]
  if (subject === undefined || relation === undefined) return undefined
  return rowId(ownerOf(memory), normaliseMemoryText(subject), normaliseMemoryText(relation))
}

/** The memories of one scope with their recall index. `update` reads what changed. */
export class ScopeIndex {
  readonly #records: MemoryRecords
  readonly #key: ServiceKey
  readonly #model: string | undefined
  #index = new RecallIndex()
  #memories = new Map<string, StoredMemory>()
  #cursor: MemoryCursor | undefined
  #textBytes = 0
  #updating: Promise<boolean> | undefined

  constructor(records: MemoryRecords, key: ServiceKey, model: string | undefined) {
    this.#records = records
    this.#key = key
    this.#model = model
  }

  /** The number of memories. */
  get size(): number {
    return this.#memories.size
  }

  /** The approximate size in memory. */
  get bytes(): number {
    return emptyBytes + this.#index.bytes + this.#textBytes + this.#memories.size * rowBytes
  }

  get(id: string): StoredMemory | undefined {
    return this.#memories.get(id)
  }

  /** The ids of the memories that told a memory's fact before it, oldest first. */
  earlier(memory: StoredMemory): readonly string[] {
    const fact = factOf(memory)
    const told = [...this.#memories.values()].filter((other) => other.atMs < memory.atMs && factOf(other) === fact)
    return told.sort((a, b) => a.atMs - b.atMs).map(({ id }) => id)
  }

  /** True while {@link update} runs: then it may hold a part of its memories only. */
  get isUpdating(): boolean {
    return this.#updating !== undefined
  }

  /** The hits for a query, best first. */
  rank(query: RecallQuery): readonly RecallHit[] {
    return this.#index.rank(query)
  }

  /** Reads what changed since the last update, and tells if anything did. Concurrent calls share one reading. */
  update(): Promise<boolean> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined
    })
    return this.#updating
  }

  async #update(): Promise<boolean> {
    for (let isChanged = false; ; ) {
      const after = this.#cursor
      const { cursor, reset, memories } = await this.#records.changes(this.#key, { after, limit: pageSize })
      const vectors = memories.length > 0 ? await this.#vectorsOf(memories) : undefined
      if (reset) this.#clear()
      let characters = 0
      for (const memory of memories) {
        this.#take(memory, vectors?.get(memory.id))
        characters += memory.text.length + memoryCharacters
        if (characters < sliceCharacters) continue
        characters = 0
        await otherWork()
      }
      this.#cursor = cursor
      isChanged ||= reset || memories.length > 0
      if (memories.length < pageSize) return isChanged
    }
  }

  async #vectorsOf(memories: readonly StoredMemory[]): Promise<ReadonlyMap<string, Float32Array>> {
    if (this.#model === undefined) return new Map()
    const found = await this.#records.vectors(
      memories.map(({ id }) => id),
      this.#model,
      this.#key,
    )
    return new Map(found.map(({ memoryId, values }) => [memoryId, values]))
  }

  #clear(): void {
    this.#index = new RecallIndex()
    this.#memories = new Map()
    this.#textBytes = 0
  }

  #take(memory: StoredMemory, values: Float32Array | undefined): void {
    const before = this.#memories.get(memory.id)
    if (before !== undefined) this.#textBytes -= before.text.length * 2
    if (memory.supersededBy !== undefined) {
      this.#index.remove(memory.id)
      this.#memories.delete(memory.id)
      return
    }
    this.#memories.set(memory.id, memory)
    this.#textBytes += memory.text.length * 2
    const { id, text, atMs, againAtMs, speaker, audience, conversation, turn, importance = 5, stability, usedAtMs } = memory
    const vector = this.#model !== undefined && values ? { model: this.#model, values } : undefined
    const session = `${audience}:${conversation}`
    const curve = { stability, recalledAtMs: usedAtMs }
    const { keys, updates } = memory
    this.#index.replace({ id, text, atMs, againAtMs, speaker, session, turn, importance, ...curve, keys, updates, vector })
  }
}
