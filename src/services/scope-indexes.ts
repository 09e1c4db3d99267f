import type { ServiceKey } from "../core/keys.ts"
import type { ScopeIndex } from "./scope-index.ts"
import type { MemoryRecords } from "./store.ts"

/** Indexes by scope, made when first asked for; those asked for longest ago go when all take too much. */
export class ScopeIndexes {
  readonly #records: MemoryRecords
  readonly #model: string | undefined
  readonly #maxBytes: number
  readonly #indexes = new Map<string, ScopeIndex>()

  constructor(records: MemoryRecords, { model, maxBytes }: { readonly model: string | undefined; readonly maxBytes: number }) {
    this.#records = records
    this.#model = model
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#indexes.size
  }

  /** The key's index, up to date. */
  async current(key: ServiceKey): Promise<ScopeIndex> {
    const scope = scopeId(key)
    // Loaded with the first recall: who imports the library for its prompts alone does not pay for it.
    const { ScopeIndex } = await import("./scope-index.ts")
    const index = this.#indexes.get(scope) ?? new ScopeIndex(this.#records, key, this.#model)
    // Put anew, so that a map's own order is the order of use.
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
      if (bytes <= this.#maxBytes) return
      if (index === used) continue
      bytes -= index.bytes
      this.#indexes.delete(scope)
    }
  }
}

function scopeId({ agent, user, conversation, audience }: ServiceKey): string {
  return JSON.stringify(audience === "private" ? [agent, "user", user] : [agent, "group", conversation])
}
