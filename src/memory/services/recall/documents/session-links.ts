import { countWhile } from "../../../../core/binary-search.ts"
import { grown } from "./document-columns.ts"
import { listSections, type Section, type SectionReader } from "./sections.ts"
import type { Steps } from "./steps.ts"

/** The place of a line in its session. */
interface SessionPlace {
  readonly session: string
  readonly turn: number
  readonly atMs: number
}

/** Lines without a long silence between them, by number. */
interface Talks {
  /** For each slot, the number of its talk, below `count`; negative for a free slot. */
  readonly bySlot: Int32Array
  readonly count: number
  /** The sums of some numbers of their lines, by the numbers' array. */
  readonly sums: Map<Uint32Array, Float64Array>
}

const none = -1
/** Lines that are more turns apart than this are not neighbours, even if nothing between them is kept. */
const maxTurnGap = 2
/** After a longer silence another talk begins, though the conversation is the same. */
const maxSilenceMs = 4 * 3_600_000

/** Links each line with the lines before and after it in its session. */
export class SessionLinks {
  /** The slots of each session's lines, in their order. */
  readonly #sessions = new Map<string, number[]>()
  readonly #idAt: (slot: number) => string
  #turns: Float64Array = new Float64Array(16)
  #times: Float64Array = new Float64Array(16)
  /** For each slot, the slot of the line before it; negative if none is near. */
  previous: Int32Array = new Int32Array(16).fill(none)
  /** For each slot, the slot of the line after it; negative if none is near. */
  next: Int32Array = new Int32Array(16).fill(none)
  #talks: Talks | undefined

  /** `idAt` gives the id of the line at a slot: lines of one turn and time stand in the order of their ids, and passages of one text in their own. */
  constructor(idAt: (slot: number) => string) {
    this.#idAt = idAt
  }

  /** The talks of all sessions: a session is cut where nobody spoke for four hours. */
  get talks(): Talks {
    this.#talks ??= this.#cutTalks()
    return this.#talks
  }

  /** The lengths of the talks, by the lengths of their lines. */
  talkLengths(lengths: Uint32Array): Float64Array {
    const { bySlot, count, sums } = this.talks
    const known = sums.get(lengths) ?? new Float64Array(count)
    if (sums.has(lengths)) return known
    sums.set(lengths, known)
    for (let slot = 0; slot < bySlot.length; slot++) {
      const talk = bySlot[slot] ?? none
      if (talk >= 0) known[talk] = (known[talk] ?? 0) + (lengths[slot] ?? 0)
    }
    return known
  }

  get bytes(): number {
    return this.previous.byteLength * 5 + this.#turns.byteLength * 2 + this.#sessions.size * 160
  }

  /** The links of so many slots, for {@link SessionLinks.restored}. */
  *sections(slots: number): Generator<Section> {
    yield* listSections([...this.#sessions.keys()])
    yield Uint32Array.from(this.#sessions.values(), (slots) => slots.length)
    yield Uint32Array.from([...this.#sessions.values()].flat())
    yield this.#turns.subarray(0, slots)
    yield this.#times.subarray(0, slots)
    yield this.previous.subarray(0, slots)
    yield this.next.subarray(0, slots)
  }

  /** Reads back what {@link sections} wrote, in steps. */
  static *restored(reader: SectionReader, idAt: (slot: number) => string): Steps<SessionLinks> {
    const links = new SessionLinks(idAt)
    const names: string[] = []
    for (const some of reader.list<string>()) {
      names.push(...some)
      yield some.length
    }
    const lengths = reader.numbers(Uint32Array)
    const slots = reader.numbers(Uint32Array)
    let at = 0
    for (const [i, name] of names.entries()) {
      const end = at + (lengths[i] ?? 0)
      links.#sessions.set(name, Array.from(slots.subarray(at, end)))
      yield 1 + end - at
      at = end
    }
    links.#turns = reader.numbers(Float64Array)
    links.#times = reader.numbers(Float64Array)
    links.previous = reader.numbers(Int32Array)
    links.next = reader.numbers(Int32Array)
    return links
  }

  add(slot: number, { session, turn, atMs }: SessionPlace): void {
    this.#grow(slot)
    this.#turns[slot] = turn
    this.#times[slot] = atMs
    this.#talks = undefined
    const members = this.#sessions.get(session) ?? []
    this.#sessions.set(session, members)
    const at = this.#placeOf(members, slot)
    members.splice(at, 0, slot)
    this.#join(members, at)
    this.#join(members, at + 1)
  }

  remove(slot: number, { session }: SessionPlace): void {
    const members = this.#sessions.get(session)
    if (members === undefined) return
    this.#talks = undefined
    const at = this.#placeOf(members, slot)
    members.splice(at, 1)
    this.previous[slot] = none
    this.next[slot] = none
    this.#join(members, at)
    if (members.length === 0) this.#sessions.delete(session)
  }

  /** Makes room for a slot. */
  #grow(slot: number): void {
    this.previous = grown(this.previous, slot, none)
    this.next = grown(this.next, slot, none)
    this.#turns = grown(this.#turns, slot)
    this.#times = grown(this.#times, slot)
  }

  /** Links the members before and at a place. */
  #join(members: readonly number[], at: number): void {
    const before = members[at - 1]
    const after = members[at]
    const near =
      before !== undefined &&
      after !== undefined &&
      this.#turn(after) - this.#turn(before) <= maxTurnGap &&
      !this.#isSilence(before, after)
    if (after !== undefined) this.previous[after] = near ? before : none
    if (before !== undefined) this.next[before] = near ? after : none
  }

  #turn = (slot: number): number => this.#turns[slot] ?? 0
  #time = (slot: number): number => this.#times[slot] ?? 0
  #isSilence = (one: number, other: number): boolean => Math.abs(this.#time(other) - this.#time(one)) > maxSilenceMs

  #cutTalks(): Talks {
    const bySlot = new Int32Array(this.previous.length).fill(none)
    let count = 0
    for (const members of this.#sessions.values()) {
      members.forEach((slot, at) => {
        const before = members[at - 1]
        if (before === undefined || this.#isSilence(before, slot)) count++
        bySlot[slot] = count - 1
      })
    }
    return { bySlot, count, sums: new Map() }
  }

  /** The index at which a slot stands, or would stand, among the members. */
  #placeOf(members: readonly number[], slot: number): number {
    return countWhile(members.length, (at) => this.#comesBefore(members[at] ?? slot, slot))
  }

  #comesBefore(one: number, other: number): boolean {
    const turns = this.#turn(one) - this.#turn(other)
    if (turns !== 0) return turns < 0
    const times = this.#time(one) - this.#time(other)
    if (times !== 0) return times < 0
    const [id, otherId] = [this.#idAt(one), this.#idAt(other)]
    return id === otherId ? one < other : id < otherId
  }
}
