import type { ServiceKey } from "../../../core/conversation.ts"
import type { MemoryRecords } from "../store/records.ts"
import { scopeOf } from "../store/row-keys.ts"
import { type IndexSettings, ScopeIndex } from "./scope-index.ts"

/** Recall indexes by scope. Each is made when it is first needed; the least recently used ones are dropped when all take too much memory. */
export class ScopeIndexes {
  readonly #records: MemoryRecords
  readonly #settings: IndexSettings
  readonly #indexes = new Map<string, ScopeIndex>()

  constructor(records: MemoryRecords, settings: IndexSettings) {
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
    const index = known ?? new ScopeIndex(this.#records, key, this.#settings)
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
