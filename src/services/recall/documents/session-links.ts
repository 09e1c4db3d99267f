import { grown } from "./document-columns.ts"

/** The place of a line in its session. */
interface SessionPlace {
  readonly session: string
  readonly turn: number
  readonly atMs: number
  readonly id: string
}

interface Member {
  readonly slot: number
  readonly place: SessionPlace
}

/** Lines without a long silence between them, by number. */
interface Talks {
  /** For each slot, the number of its talk, below `count`; negative for a free slot. */
  readonly bySlot: Int32Array
  readonly count: number
}

const none = -1
/** Lines that are more turns apart than this are not neighbours, even if nothing between them is kept. */
const maxTurnGap = 2
/** After a longer silence another talk begins, though the conversation is the same. */
const maxSilenceMs = 4 * 3_600_000

/** Links each line with the lines before and after it in its session. */
export class SessionLinks {
  readonly #sessions = new Map<string, Member[]>()
  /** For each slot, the slot of the line before it; negative if none is near. */
  previous: Int32Array = new Int32Array(16).fill(none)
  /** For each slot, the slot of the line after it; negative if none is near. */
  next: Int32Array = new Int32Array(16).fill(none)
  #talks: Talks | undefined

  /** The talks of all sessions: a session is cut where nobody spoke for four hours. */
  get talks(): Talks {
    this.#talks ??= talksOf(this.#sessions.values(), this.previous.length)
    return this.#talks
  }

  get bytes(): number {
    return this.previous.byteLength * 3 + this.#sessions.size * 160
  }

  add(slot: number, place: SessionPlace): void {
    this.previous = grown(this.previous, slot, none)
    this.next = grown(this.next, slot, none)
    this.#talks = undefined
    const members = this.#sessions.get(place.session) ?? []
    this.#sessions.set(place.session, members)
    const at = placeOf(members, place)
    members.splice(at, 0, { slot, place })
    this.#join(members, at)
    this.#join(members, at + 1)
  }

  remove(slot: number, place: SessionPlace): void {
    const members = this.#sessions.get(place.session)
    if (members === undefined) return
    this.#talks = undefined
    const at = placeOf(members, place)
    members.splice(at, 1)
    this.previous[slot] = none
    this.next[slot] = none
    this.#join(members, at)
    if (members.length === 0) this.#sessions.delete(place.session)
  }

  /** Links the members before and at a place. */
  #join(members: readonly Member[], at: number): void {
    const before = members[at - 1]
    const after = members[at]
    const near =
      before !== undefined &&
      after !== undefined &&
      after.place.turn - before.place.turn <= maxTurnGap &&
      !isSilence(before.place, after.place)
    if (after !== undefined) this.previous[after.slot] = near ? before.slot : none
    if (before !== undefined) this.next[before.slot] = near ? after.slot : none
  }
}

const isSilence = (before: SessionPlace, after: SessionPlace) => Math.abs(after.atMs - before.atMs) > maxSilenceMs

function talksOf(sessions: Iterable<readonly Member[]>, slots: number): Talks {
  const bySlot = new Int32Array(slots).fill(none)
  let count = 0
  for (const members of sessions) {
    members.forEach(({ slot, place }, at) => {
      const before = members[at - 1]
      if (before === undefined || isSilence(before.place, place)) count++
      bySlot[slot] = count - 1
    })
  }
  return { bySlot, count }
}

/** The index at which a place stands, or would stand, among the members. */
function placeOf(members: readonly Member[], place: SessionPlace): number {
  let low = 0
  let high = members.length
  while (low < high) {
    const middle = (low + high) >> 1
    const member = members[middle]
    if (member !== undefined && comesBefore(member.place, place)) low = middle + 1
    else high = middle
  }
  return low
}

function comesBefore(one: SessionPlace, other: SessionPlace): boolean {
  if (one.turn !== other.turn) return one.turn < other.turn
  return one.atMs === other.atMs ? one.id < other.id : one.atMs < other.atMs
}
