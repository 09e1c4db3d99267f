import type { ServiceKey } from "../../core/conversation.ts"
import { RecallIndex } from "../recall/recall-index.ts"
import type { MemoryCursor, MemoryRecords, StoredMemory } from "../store/records.ts"

const pageSize = 500
/** The approximate size of a memory without its text and its place in the index. */
const rowBytes = 400

/** The memories of one scope with their recall index. `update` reads what changed. */
export class ScopeIndex {
  readonly #records: MemoryRecords
  readonly #key: ServiceKey
  readonly #model: string | undefined
  #index = new RecallIndex()
  #memories = new Map<string, StoredMemory>()
  #cursor: MemoryCursor | undefined
  #textBytes = 0
  #updating: Promise<void> | undefined

  constructor(records: MemoryRecords, key: ServiceKey, model: string | undefined) {
    this.#records = records
    this.#key = key
    this.#model = model
  }

  get index(): RecallIndex {
    return this.#index
  }

  /** The approximate size in memory. */
  get bytes(): number {
    return this.#index.bytes + this.#textBytes + this.#memories.size * rowBytes
  }

  get(id: string): StoredMemory | undefined {
    return this.#memories.get(id)
  }

  /** Reads what changed since the last update. Concurrent calls share one reading. */
  update(): Promise<void> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined
    })
    return this.#updating
  }

  async #update(): Promise<void> {
    for (;;) {
      const after = this.#cursor
      const { cursor, reset, memories } = await this.#records.changes(this.#key, { after, limit: pageSize })
      const vectors = await this.#vectorsOf(memories)
      if (reset) this.#clear()
      for (const memory of memories) this.#take(memory, vectors.get(memory.id))
      this.#cursor = cursor
      if (memories.length < pageSize) return
    }
  }

  async #vectorsOf(memories: readonly StoredMemory[]): Promise<ReadonlyMap<string, Float32Array>> {
    if (this.#model === undefined || memories.length === 0) return new Map()
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
    const { id, text, atMs, speaker, audience, conversation, turn, importance = 5 } = memory
    const vector = this.#model !== undefined && values ? { model: this.#model, values } : undefined
    this.#index.replace({ id, text, atMs, speaker, session: `${audience}:${conversation}`, turn, importance, vector })
  }
}
