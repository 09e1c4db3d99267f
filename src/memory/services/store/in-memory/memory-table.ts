import type { ServiceKey } from "../../../../core/conversation.ts"
import { frozenJson } from "../frozen-json.ts"
import { saidAgain, usedAgain } from "../memory-again.ts"
import {
  type MemoryChanges,
  type MemoryCursor,
  type MemoryRecords,
  type StoredMemory,
  type StoredVector,
  turnGone,
} from "../records.ts"
import { byTime, checkKey, ownerOf, rowId, scopeOf, scopesOf } from "../row-keys.ts"
import type { SessionTable } from "./session-table.ts"

/** A memory as the table keeps it, with its vectors by model. `sequence` is the number of its last change. */
export interface MemoryRow {
  readonly memory: StoredMemory
  readonly hash: string
  readonly sequence: number
  readonly vectors: ReadonlyMap<string, StoredVector>
}

/** Memories and their vectors, with a log of changes for each scope. */
export class MemoryTable implements Omit<MemoryRecords, "forget"> {
  readonly #rows = new Map<string, MemoryRow>()
  /** Ids of memories that are not superseded, by owner and hash. */
  readonly #held = new Map<string, string>()
  readonly #scopes = new Map<string, ScopeLog>()
  readonly #sessions: Pick<SessionTable, "expectTurn">
  #sequence = 0
  #epoch = 0

  constructor(sessions: Pick<SessionTable, "expectTurn">) {
    this.#sessions = sessions
  }

  async put(
    given: StoredMemory,
    { hash, supersedes = [], ofTurn = false, key }: Parameters<MemoryRecords["put"]>[1],
  ): ReturnType<MemoryRecords["put"]> {
    checkKey(given, key)
    if (ofTurn) this.#expectOrigin(given)
    if (this.has(given)) return { stored: false, id: given.id }
    const duplicate = this.#held.get(rowId(ownerOf(given), hash))
    if (duplicate !== undefined) {
      const row = this.#rows.get(rowId(given.agent, duplicate))
      const memory = row && saidAgain(row.memory, given.atMs)
      if (memory !== row?.memory && row && memory) this.#change({ ...row, memory: frozenJson(memory, "memory") })
      return { stored: false, id: duplicate }
    }
    const memory = frozenJson(given, "memory")
    for (const id of supersedes) this.#supersede(id, memory)
    this.restore({ memory, hash })
    return { stored: true, id: memory.id }
  }

  /** Throws `aborted` if the turn of a memory, or a memory that it rests on, is gone. */
  #expectOrigin({ agent, conversation, audience, turnId, sources = [] }: StoredMemory): void {
    this.#sessions.expectTurn({ agent, conversation, audience }, turnId)
    if (!sources.every((id) => this.has({ agent, id }))) throw turnGone(turnId)
  }

  async markUsed(ids: readonly string[], { atMs, key }: Parameters<MemoryRecords["markUsed"]>[1]): Promise<void> {
    for (const id of ids) {
      const row = this.#seen(id, key)
      const memory = row && usedAgain(row.memory, atMs)
      if (row && memory && memory !== row.memory) this.#change({ ...row, memory: Object.freeze(memory) })
    }
  }

  async get(id: string, key: ServiceKey): Promise<StoredMemory | undefined> {
    return this.#seen(id, key)?.memory
  }

  async changes(
    key: ServiceKey,
    { after, limit }: { readonly after?: MemoryCursor | undefined; readonly limit: number },
  ): Promise<MemoryChanges> {
    const reset = after !== undefined && after.epoch !== this.#epoch
    const since = after === undefined || reset ? 0 : after.sequence
    // A scope without memories has no log.
    const rows = this.#scopes.get(scopeOf(key))?.since(since, limit) ?? []
    const sequence = rows.at(-1)?.sequence ?? since
    return { cursor: { epoch: this.#epoch, sequence }, reset, memories: rows.map(({ memory }) => memory) }
  }

  async recent(key: ServiceKey, { limit, kinds }: Parameters<MemoryRecords["recent"]>[1]): Promise<readonly StoredMemory[]> {
    const held = this.#holding(key).filter(({ memory }) => kinds?.includes(memory.kind) ?? true)
    const sorted = held.sort(byTime).map(({ memory }) => memory)
    return sorted.slice(Math.max(0, sorted.length - Math.max(0, limit)))
  }

  async putVectors(vectors: readonly StoredVector[], key: ServiceKey): Promise<void> {
    for (const { memoryId, model, values } of vectors) {
      const row = this.#seen(memoryId, key)
      if (row === undefined) continue
      const kept = new Map(row.vectors).set(model, { memoryId, model, values: Float32Array.from(values) })
      this.#change({ ...row, vectors: kept })
    }
  }

  async vectors(ids: readonly string[], model: string, key: ServiceKey): Promise<readonly StoredVector[]> {
    return ids.flatMap((id) => {
      const vector = this.#seen(id, key)?.vectors.get(model)
      return vector === undefined ? [] : [{ ...vector, values: Float32Array.from(vector.values) }]
    })
  }

  async withoutVector(model: string, key: ServiceKey, limit: number): Promise<readonly StoredMemory[]> {
    const missing = this.#holding(key).filter(({ vectors }) => !vectors.has(model))
    return missing
      .sort(byTime)
      .slice(0, Math.max(0, limit))
      .map(({ memory }) => memory)
  }

  has({ agent, id }: Pick<StoredMemory, "agent" | "id">): boolean {
    return this.#rows.has(rowId(agent, id))
  }

  /** Puts a memory from an export. */
  restore({ memory, hash }: Pick<MemoryRow, "memory" | "hash">): void {
    this.#change({ memory, hash, vectors: new Map(), sequence: 0 })
    const owner = rowId(ownerOf(memory), hash)
    if (memory.supersededBy === undefined && !this.#held.has(owner)) this.#held.set(owner, memory.id)
  }

  /** Puts a vector from an export; false if its memory is not there or has a vector of this model. */
  restoreVector(agent: string, vector: StoredVector): boolean {
    const row = this.#rows.get(rowId(agent, vector.memoryId))
    if (row === undefined || row.vectors.has(vector.model)) return false
    this.#change({ ...row, vectors: new Map(row.vectors).set(vector.model, vector) })
    return true
  }

  /** By time, then by id. */
  rows(): readonly MemoryRow[] {
    return [...this.#rows.values()].sort(byTime)
  }

  /** Deletes memories with their vectors. Memories that they had superseded hold again. Readers of changes must start again. */
  delete(memories: readonly StoredMemory[]): void {
    if (memories.length === 0) return
    for (const memory of memories) {
      const row = this.#rows.get(rowId(memory.agent, memory.id))
      if (row === undefined) continue
      this.#rows.delete(rowId(memory.agent, memory.id))
      for (const scope of scopesOf(memory)) this.#log(scope).delete(row)
      const owner = rowId(ownerOf(memory), row.hash)
      if (this.#held.get(owner) === memory.id) this.#held.delete(owner)
    }
    const gone = new Set(memories.map(({ agent, id }) => rowId(agent, id)))
    for (const row of [...this.#rows.values()]) {
      const { supersededBy, ...memory } = row.memory
      if (supersededBy === undefined || !gone.has(rowId(memory.agent, supersededBy))) continue
      this.#change({ ...row, memory: Object.freeze(memory) })
      const owner = rowId(ownerOf(memory), row.hash)
      if (!this.#held.has(owner)) this.#held.set(owner, memory.id)
    }
    this.#epoch++
  }

  #supersede(id: string, by: StoredMemory): void {
    const row = this.#rows.get(rowId(by.agent, id))
    if (row === undefined || row.memory.supersededBy !== undefined || ownerOf(row.memory) !== ownerOf(by)) return
    const owner = rowId(ownerOf(by), row.hash)
    if (this.#held.get(owner) === id) this.#held.delete(owner)
    this.#change({ ...row, memory: Object.freeze({ ...row.memory, supersededBy: by.id }) })
  }

  #change(row: MemoryRow): void {
    const { memory } = row
    const before = this.#rows.get(rowId(memory.agent, memory.id))
    const changed = { ...row, sequence: ++this.#sequence }
    this.#rows.set(rowId(memory.agent, memory.id), changed)
    for (const scope of scopesOf(memory)) {
      const log = this.#log(scope)
      if (before !== undefined) log.delete(before)
      log.rows.push(changed)
    }
  }

  #seen(id: string, key: ServiceKey): MemoryRow | undefined {
    const row = this.#rows.get(rowId(key.agent, id))
    return row !== undefined && scopesOf(row.memory).includes(scopeOf(key)) ? row : undefined
  }

  #holding(key: ServiceKey): MemoryRow[] {
    return this.#log(scopeOf(key)).rows.filter(({ memory }) => memory.supersededBy === undefined)
  }

  #log(scope: string): ScopeLog {
    const log = this.#scopes.get(scope) ?? new ScopeLog()
    this.#scopes.set(scope, log)
    return log
  }
}

/** The rows of one scope, ordered by the number of their last change. */
class ScopeLog {
  readonly rows: MemoryRow[] = []

  delete({ sequence }: MemoryRow): void {
    const at = this.#firstAfter(sequence - 1)
    if (this.rows[at]?.sequence === sequence) this.rows.splice(at, 1)
  }

  /** At most `limit` rows with a higher sequence, lowest first. */
  since(sequence: number, limit: number): MemoryRow[] {
    const from = this.#firstAfter(sequence)
    return this.rows.slice(from, from + Math.max(0, limit))
  }

  #firstAfter(sequence: number): number {
    let low = 0
    let high = this.rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.rows[middle]?.sequence ?? 0) <= sequence) low = middle + 1
      else high = middle
    }
    return low
  }
}
