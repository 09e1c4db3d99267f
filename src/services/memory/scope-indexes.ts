import type { ServiceKey } from "../../core/conversation.ts"
import type { MemoryRecords } from "../store/records.ts"
import { scopeOf } from "../store/row-keys.ts"
import type { ScopeIndex } from "./scope-index.ts"

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
    // Loaded with the first recall, so that those who use the library for its prompts alone do not load it.
    const { ScopeIndex } = await import("./scope-index.ts")
    const index = this.#indexes.get(scope) ?? new ScopeIndex(this.#records, key, this.#settings.model)
    // Set again, so that the order of the map is the order of use.
    this.#indexes.delete(scope)
    this.#indexes.set(scope, index)
    await index.update()
    this.#makeRoom(index)
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
