import type { ServiceKey } from "../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { partsOf, SectionReader } from "../recall/documents/sections.ts"
import { indexForm, RecallIndex } from "../recall/recall-index.ts"
import type { RecallDocument, RecallHit, RecallQuery } from "../recall/recall-query.ts"
import type { MemoryCursor, MemoryRecords, StoredMemory } from "../store/records.ts"
import { ownerOf, rowId } from "../store/row-keys.ts"
import { normaliseMemoryText } from "./duplicates.ts"
import { type CopiedBodies, copySections, restoredCopy } from "./index-copy.ts"
import { toldFact } from "./told-fact.ts"

const pageSize = 500
/** The approximate size of a memory without its text and its place in the index. */
const rowBytes = 400
/** The approximate size of an index without memories. */
const emptyBytes = 10_000

/** The characters that are indexed before other work of the process has its turn. That many take a few milliseconds. */
const sliceCharacters = 4_096
/** A memory costs as much beside its text as this many characters. */
const memoryCharacters = 64

/** An index of fewer memories is made faster than its copy would be worth. */
const minCopied = 2_000
/** A copy is kept when so many texts are not in the last one: at least this many, and this share of all. */
const minNew = 1_000
const minNewShare = 1 / 20
/** The part of a new text for which a memory counts of which only numbers changed. */
const numbersShare = 1 / 10

/** Settings of all indexes of a memory service. */
export interface IndexSettings {
  /** The id of the embedding model, if there is one. */
  readonly model: string | undefined
  /** About the bytes that all indexes may take. */
  readonly maxBytes: number
  /** Told when a copy of an index cannot be read or kept. */
  readonly onWarning?: ((message: string, key: ServiceKey) => void) | undefined
}

/** Lets timers and other waiting work of the process run. A host without `setImmediate` waits for a timer. */
function otherWork(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

/** The value of a generator. Other work of the process has its turn between its steps. */
async function inSteps<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await otherWork()
  }
}

/**
 * The name of the fact that a memory tells: who, and what of them, by its keys or else by its words. Memories of one owner with one name
 * tell it at different times.
 */
export function factOf(memory: StoredMemory): string | undefined {
  const { keys, kind, text, speaker } = memory
  const told = kind === "dialogue" && keys?.relation === undefined ? toldFact(text)?.relation : undefined
  const [subject, relation] = keys?.relation === undefined ? [speaker.name, told] : [keys.subject, keys.relation]
  if (subject === undefined || relation === undefined) return undefined
  return rowId(ownerOf(memory), normaliseMemoryText(subject), normaliseMemoryText(relation))
}

/**
 * The memories of one scope with their recall index. `update` reads what changed. The first one begins with the copy that the store
 * keeps; a store that keeps none gives all memories. When much is new, another copy is kept.
 */
export class ScopeIndex {
  readonly #records: MemoryRecords
  readonly #key: ServiceKey
  readonly #settings: IndexSettings
  #index = new RecallIndex()
  /** By id. A number is the place of a memory in the copy, from which it was not read yet. */
  #memories = new Map<string, StoredMemory | number>()
  #bodies: CopiedBodies | undefined
  /** The ids of memories by the name of the fact that they tell. */
  #facts = new Map<string, Set<string>>()
  #cursor: MemoryCursor | undefined
  #textBytes = 0
  #updating: Promise<boolean> | undefined
  #changes = 0
  /** The texts that are not in the last copy. */
  #notCopied = 0
  #copying = false

  constructor(records: MemoryRecords, key: ServiceKey, settings: IndexSettings) {
    this.#records = records
    this.#key = key
    this.#settings = settings
  }

  /** The number of memories. */
  get size(): number {
    return this.#memories.size
  }

  /** The approximate size in memory. */
  get bytes(): number {
    const texts = this.#textBytes + (this.#bodies?.bytes ?? 0)
    return emptyBytes + this.#index.bytes + texts + this.#memories.size * rowBytes
  }

  get(id: string): StoredMemory | undefined {
    const known = this.#memories.get(id)
    if (typeof known !== "number") return known
    const memory = JSON.parse(this.#bodies?.at(known) ?? "") as StoredMemory
    this.#memories.set(id, memory)
    return memory
  }

  /** The ids of the memories that told a memory's fact before it, oldest first. */
  earlier(memory: StoredMemory): readonly string[] {
    const told = [...(this.#facts.get(factOf(memory) ?? "") ?? [])].flatMap((id) => this.get(id) ?? [])
    return told
      .filter(({ atMs }) => atMs < memory.atMs)
      .sort((a, b) => a.atMs - b.atMs)
      .map(({ id }) => id)
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
      this.#copyIfDue()
    })
    return this.#updating
  }

  async #update(): Promise<boolean> {
    let isChanged = this.#cursor === undefined && (await this.#restore())
    for (;;) {
      const after = this.#cursor
      const { cursor, reset, memories } = await this.#records.changes(this.#key, { after, limit: pageSize })
      const vectors = memories.length > 0 ? await this.#vectorsOf(memories.map(({ id }) => id)) : undefined
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

  async #vectorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    const { model } = this.#settings
    if (model === undefined) return new Map()
    const found = await this.#records.vectors(ids, model, this.#key)
    return new Map(found.map(({ memoryId, values }) => [memoryId, values]))
  }

  #clear(): void {
    this.#index = new RecallIndex()
    this.#memories = new Map()
    this.#bodies = undefined
    this.#facts = new Map()
    this.#textBytes = 0
    this.#changes += 1
    this.#notCopied = 0
  }

  #take(memory: StoredMemory, values: Float32Array | undefined): void {
    const before = this.get(memory.id)
    this.#changes += 1
    if (before !== undefined) {
      this.#textBytes -= before.text.length * 2
      this.#facts.get(factOf(before) ?? "")?.delete(memory.id)
    }
    if (memory.supersededBy !== undefined) {
      this.#index.remove(memory.id)
      this.#memories.delete(memory.id)
      return
    }
    this.#memories.set(memory.id, memory)
    this.#textBytes += memory.text.length * 2
    const fact = factOf(memory)
    if (fact !== undefined) this.#facts.set(fact, (this.#facts.get(fact) ?? new Set<string>()).add(memory.id))
    const { model } = this.#settings
    const vector = model !== undefined && values ? { model, values } : undefined
    this.#notCopied += this.#index.replace({ ...documentOf(memory), vector }) ? 1 : numbersShare
  }

  /** Begins with the copy that the store keeps. False if there is none, or if it cannot be read: then all memories are read. */
  async #restore(): Promise<boolean> {
    const { model, onWarning } = this.#settings
    try {
      const copy = await this.#records.readIndex?.(this.#key, { form: indexForm })
      if (copy === undefined) return false
      const reader = new SectionReader(copy.parts)
      const restored = await inSteps(restoredCopy(reader, (id) => this.#documentAt(id)))
      this.#index = restored.index
      this.#bodies = restored.bodies
      this.#memories = new Map(restored.ids.map((id, place) => [id, place]))
      this.#facts = new Map(Array.from(restored.facts, ([fact, ids]) => [fact, new Set(ids)]))
      for (let at = 0; model !== undefined && at < restored.ids.length; at += pageSize) {
        const vectors = await this.#vectorsOf(restored.ids.slice(at, at + pageSize))
        for (const [id, values] of vectors) this.#index.setVector(id, { model, values })
        await otherWork()
      }
      this.#cursor = copy.cursor
      return true
    } catch (error) {
      onWarning?.(`The copy of a recall index cannot be read, so all memories are: ${messageOf(error)}`, this.#key)
      this.#clear()
      return false
    }
  }

  #documentAt(id: string): RecallDocument {
    const memory = this.get(id)
    if (memory === undefined) throw new RangeError(`expected the memory ${JSON.stringify(id)} in the copy of its index`)
    return documentOf(memory)
  }

  #copyIfDue(): void {
    const isDue = this.#notCopied >= Math.max(minNew, this.size * minNewShare)
    if (!isDue || this.size < minCopied || this.#copying || this.#records.keepIndex === undefined) return
    this.#copying = true
    this.#copy()
      .catch((error: unknown) => this.#tellOf(error))
      .finally(() => {
        this.#copying = false
      })
  }

  /** Keeps a copy. Nobody waits for it. If a memory changes meanwhile, it is given up, and kept another time. */
  async #copy(): Promise<void> {
    const [changes, cursor, notCopied] = [this.#changes, this.#cursor, this.#notCopied]
    if (cursor === undefined) return
    const sections = copySections(this.#index, this.#facts, (id) => this.#bodyOf(id))
    const isChanged = () => this.#changes !== changes
    async function* parts(): AsyncGenerator<Uint8Array> {
      for (const part of partsOf(sections)) {
        yield part
        await otherWork()
        if (isChanged()) throw new PromptStrataError("aborted", "A memory changed while its index was copied.")
      }
    }
    const isKept = await this.#records.keepIndex?.({ form: indexForm, cursor, parts: parts() }, this.#key)
    if (isKept) this.#notCopied -= notCopied
  }

  #bodyOf(id: string): string {
    const known = this.#memories.get(id)
    return (typeof known === "number" ? this.#bodies?.at(known) : JSON.stringify(known)) ?? ""
  }

  /** A copy that is given up because something changed, or because the store was closed, is no fault. */
  #tellOf(error: unknown): void {
    if (PromptStrataError.isInstance(error) && (error.code === "aborted" || error.code === "closed")) return
    this.#settings.onWarning?.(`A copy of a recall index was not kept: ${messageOf(error)}`, this.#key)
  }
}

/** A memory as recall sees it, without its vector. */
function documentOf(memory: StoredMemory): RecallDocument {
  const {
    id,
    text,
    atMs,
    againAtMs,
    speaker,
    audience,
    conversation,
    turn,
    importance = 5,
    stability,
    usedAtMs,
    keys,
    updates,
  } = memory
  const session = `${audience}:${conversation}`
  const told = memory.kind === "dialogue" ? toldFact(text)?.value : undefined
  return { id, text, atMs, againAtMs, speaker, session, turn, importance, stability, recalledAtMs: usedAtMs, keys, updates, told }
}
