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
interface TalkTable {
  /** For each slot, the number of its talk, below `count`; negative for a free slot. */
  bySlot: Int32Array
  count: number
  /** The sums of the lengths of their lines, by the field, and before which slot they end. */
  readonly sums: Map<object, { of: Float64Array; end: number }>
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
  #talks: TalkTable | undefined
  /** Every slot is below this. */
  #slots = 0

  /** `idAt` gives the id of the line at a slot: lines of one turn and time stand in the order of their ids, and passages of one text in their own. */
  constructor(idAt: (slot: number) => string) {
    this.#idAt = idAt
  }

  /** The talks of all sessions: a session is cut where nobody spoke for four hours. */
  get talks(): TalkTable {
    this.#talks ??= this.#cutTalks()
    return this.#talks
  }

  /** The lengths of the talks in a field. Only lines that are new since the last call are added. */
  talkLengths(field: { readonly lengths: Uint32Array }): Float64Array {
    const { bySlot, count, sums } = this.talks
    const known = sums.get(field) ?? { of: new Float64Array(count), end: 0 }
    sums.set(field, known)
    known.of = grown(known.of, count - 1)
    for (; known.end < this.#slots; known.end++) {
      const talk = bySlot[known.end] ?? none
      if (talk >= 0) known.of[talk] = (known.of[talk] ?? 0) + (field.lengths[known.end] ?? 0)
    }
    return known.of
  }

  get bytes(): number {
    return this.previous.byteLength * 5 + this.#turns.byteLength * 2 + this.#sessions.size * 160
  }

  /** The links of so many slots, for {@link SessionLinks.restored}. */
  *sections(slots: number): Generator<Section> {
    yield* listSections([...this.#sessions.keys()])
    yield Uint32Array.from(this.#sessions.values(), (slots) => slots.length)
    yield Uint32Array.from([...this.#sessions.values()].flat())
    for (const numbers of [this.#turns, this.#times, this.previous, this.next]) yield numbers.subarray(0, slots)
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
    links.#slots = links.next.length
    return links
  }

  add(slot: number, { session, turn, atMs }: SessionPlace): void {
    this.#grow(slot)
    this.#slots = slot + 1
    this.#turns[slot] = turn
    this.#times[slot] = atMs
    const members = this.#sessions.get(session) ?? []
    this.#sessions.set(session, members)
    const at = this.#placeOf(members, slot)
    members.splice(at, 0, slot)
    this.#join(members, at)
    this.#join(members, at + 1)
    this.#talks = this.#talks && this.#withLine(this.#talks, slot, [members[at - 1] ?? none, members[at + 1] ?? none])
  }

  /** Puts a line into the talk of the line before or after it, or into one of its own. Undefined if it joins or parts talks: then all are cut anew. */
  #withLine(talks: TalkTable, slot: number, beside: readonly number[]): TalkTable | undefined {
    const joined = beside.filter((other) => other >= 0 && !this.#isSilence(other, slot))
    const [before = none, after = none] = beside.map((other) => talks.bySlot[other])
    if ((before >= 0 && before === after) !== (joined.length === 2)) return undefined
    talks.bySlot = grown(talks.bySlot, slot, none)
    talks.bySlot[slot] = joined[0] === undefined ? talks.count++ : (talks.bySlot[joined[0]] ?? none)
    return talks
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

  #cutTalks(): TalkTable {
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
