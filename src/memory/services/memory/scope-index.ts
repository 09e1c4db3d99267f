import { nameWithId, type ServiceKey } from "../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { withLazyMembers } from "../../../core/lazy-pattern.ts"
import { partsOf, type Section, SectionReader } from "../recall/documents/sections.ts"
import { otherWork, Slices, type Steps } from "../recall/documents/steps.ts"
import { indexForm, RecallIndex } from "../recall/recall-index.ts"
import type { RecallDocument, RecallHit, RecallQuery, RecallVector } from "../recall/recall-query.ts"
import type { MemoryCursor, MemoryRecords, StoredMemory } from "../store/records.ts"
import { normaliseMemoryText } from "./duplicates.ts"
import { factsOf, givesName, readyPatterns } from "./memory-facts.ts"
import { PackedMemories } from "./packed-memories.ts"

/** The most memories that are read at once, and as many as have about so many characters: that many take a few milliseconds. */
const maxPage = 256
const pageCharacters = 65_536
/** The size of the first page, before it is known how long memories are. */
const firstPage = 16
/** Reading a memory is as much work as indexing this many terms; so is each kilobyte of its text. */
const readUnits = 8
/** The approximate size of an index without memories. */
const emptyBytes = 10_000

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

/**
 * The memories of one scope with their recall index. `update` reads what changed. The first one begins with the copy that the store
 * keeps; a store that keeps none gives all memories. When much is new, another copy is kept.
 */
export class ScopeIndex {
  readonly #records: MemoryRecords
  readonly #key: ServiceKey
  readonly #settings: IndexSettings
  #index = this.#emptyIndex()
  #memories = new PackedMemories()
  /** The ids of memories by the name of the fact that they tell. */
  #facts = new Map<string, Set<string>>()
  #cursor: MemoryCursor | undefined
  #pageSize = firstPage
  readonly #slices = new Slices()
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
    return emptyBytes + this.#index.bytes + this.#memories.bytes
  }

  get(id: string): StoredMemory | undefined {
    return this.#memories.get(id)
  }

  /** The name of a memory's speaker, with the id if others have it too. */
  shownName({ agent, speaker }: StoredMemory): string {
    const others = this.#index.speakersOf(speaker.name).filter((id) => id !== agent && id !== speaker.id)
    return others.length > 0 && speaker.id !== agent ? nameWithId(speaker) : speaker.name
  }

  readonly #isSelf =
    ({ speaker }: StoredMemory) =>
    (name: string): boolean => {
      const ids = this.#index.speakersOf(name)
      return ids.length === 1 && ids[0] === speaker.id
    }

  /** The ids of the memories that told one of a memory's facts before it, oldest first. */
  earlier(memory: StoredMemory): readonly string[] {
    const told = new Set(factsOf(memory, this.#isSelf(memory)).flatMap(({ name }) => [...(this.#facts.get(name) ?? [])]))
    return [...told]
      .flatMap((id) => this.get(id) ?? [])
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
      const [after, limit] = [this.#cursor, this.#pageSize]
      const { cursor, reset, memories } = await this.#records.changes(this.#key, { after, limit })
      if (after === undefined && memories.length === limit) await this.#beginLong()
      const vectors = memories.length > 0 ? await this.#vectorsOf(memories.map(({ id }) => id)) : undefined
      if (reset) this.#clear()
      if (memories.length > 0) await this.#takeAll(memories, vectors)
      this.#cursor = cursor
      isChanged ||= reset || memories.length > 0
      if (memories.length < limit) return isChanged
    }
  }

  #beginLong(): Promise<void> {
    this.#slices.begin()
    return this.#slices.run(readyPatterns())
  }

  async #takeAll(memories: readonly StoredMemory[], vectors?: ReadonlyMap<string, Float32Array>): Promise<void> {
    const characters = memories.reduce((sum, { text }) => sum + text.length, 0)
    await this.#slices.count(readUnits * (memories.length + (characters >> 10)))
    for (const memory of memories) await this.#slices.run(this.#taking(memory, vectors?.get(memory.id)))
    if (memories.length < this.#pageSize) return
    const fitting = Math.floor((pageCharacters * memories.length) / Math.max(1, characters))
    this.#pageSize = Math.max(1, Math.min(maxPage, fitting))
  }

  async #vectorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    const { model } = this.#settings
    if (model === undefined) return new Map()
    const found = await this.#records.vectors(ids, model, this.#key)
    return new Map(found.map(({ memoryId, values }) => [memoryId, values]))
  }

  #clear(): void {
    this.#index = this.#emptyIndex()
    this.#memories = new PackedMemories()
    this.#facts = new Map()
    this.#changes += 1
    this.#notCopied = 0
  }

  #emptyIndex(): RecallIndex {
    return new RecallIndex((id) => this.#documentAt(id))
  }

  *#taking(memory: StoredMemory, values: Float32Array | undefined): Steps<void> {
    const before = this.get(memory.id)
    this.#changes += 1
    for (const { name } of before === undefined ? [] : factsOf(before, this.#isSelf(before)))
      this.#facts.get(name)?.delete(memory.id)
    if (memory.supersededBy !== undefined) {
      yield* this.#index.removing(memory.id)
      this.#memories.delete(memory.id)
      return
    }
    const { model } = this.#settings
    const vector = model !== undefined && values ? { model, values } : undefined
    const isNew = yield* this.#index.replacing(documentOf(memory, this.#isSelf(memory), vector))
    this.#memories.set(memory)
    for (const { name } of factsOf(memory, this.#isSelf(memory)))
      this.#facts.set(name, (this.#facts.get(name) ?? new Set<string>()).add(memory.id))
    this.#notCopied += isNew ? 1 : numbersShare
  }

  /** Begins with the copy that the store keeps. False if there is none, or if it cannot be read: then all memories are read. */
  async #restore(): Promise<boolean> {
    const { model, onWarning } = this.#settings
    try {
      const copy = await this.#records.readIndex?.(this.#key, { form: indexForm })
      if (copy === undefined) return false
      await this.#beginLong()
      const ids = await this.#slices.run(this.#restoring(new SectionReader(copy.parts)))
      for (let at = 0; model !== undefined && at < ids.length; at += maxPage) {
        const vectors = await this.#vectorsOf(ids.slice(at, at + maxPage))
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

  /** The sections of the index with its memories and their facts, for {@link #restoring}. */
  *#sections(): Generator<Section> {
    yield* this.#index.sections()
    yield JSON.stringify(Array.from(this.#facts, ([fact, ids]) => [fact, [...ids]]))
    yield* this.#memories.sections(this.#index.ids())
  }

  /** Reads back what {@link #sections} wrote, in steps, and returns the ids. Throws if it is something else. */
  *#restoring(reader: SectionReader): Steps<readonly string[]> {
    this.#index = yield* RecallIndex.restored(reader, (id) => this.#documentAt(id))
    const facts = JSON.parse(reader.text()) as [string, string[]][]
    this.#facts = new Map(facts.map(([fact, told]) => [fact, new Set(told)]))
    const ids = this.#index.ids()
    this.#memories = yield* PackedMemories.restored(reader, ids)
    return ids
  }

  #documentAt(id: string): RecallDocument {
    const memory = this.get(id)
    if (memory === undefined) throw new RangeError(`expected the memory ${JSON.stringify(id)} of a recall index`)
    return documentOf(memory, this.#isSelf(memory))
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
    const sections = this.#sections()
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

  /** A copy that is given up because something changed, or because the store was closed, is no fault. */
  #tellOf(error: unknown): void {
    if (PromptStrataError.isInstance(error) && (error.code === "aborted" || error.code === "closed")) return
    this.#settings.onWarning?.(`A copy of a recall index was not kept: ${messageOf(error)}`, this.#key)
  }
}

/** A memory as recall sees it. The facts that it tells are read when they are asked for, but for those of its keys, by whose words it is found. */
function documentOf(memory: StoredMemory, isSelf: (name: string) => boolean, vector?: RecallVector): RecallDocument {
  const { audience, conversation, importance = 5, keys, text, usedAtMs } = memory
  const words = keys?.facts === undefined ? [] : factsOf(memory).flatMap(({ words }) => words)
  const held = normaliseMemoryText(words.length === 0 ? "" : text)
  const others = words.filter((word) => !held.includes(normaliseMemoryText(word)))
  const document = {
    ...memory,
    session: `${audience}:${conversation}`,
    importance,
    recalledAtMs: usedAtMs,
    vector,
    keys: keys && { ...keys, words: [...new Set([...keys.words, ...others])] },
  }
  return withLazyMembers(document, {
    aliases: () => (givesName(memory) ? factsOf(memory).flatMap(({ alias }) => alias ?? []) : undefined),
    facts: () => factsOf(memory, isSelf),
  })
}
