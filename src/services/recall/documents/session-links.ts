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

interface Session {
  readonly index: number
  readonly members: Member[]
}

const none = -1
/** Lines that are more turns apart than this are not neighbours, even if nothing between them is kept. */
const maxTurnGap = 2

/** Links each line with the lines before and after it in its session. */
export class SessionLinks {
  readonly #sessions = new Map<string, Session>()
  readonly #free: number[] = []
  /** For each slot, the slot of the line before it; negative if none is near. */
  previous: Int32Array = new Int32Array(16).fill(none)
  /** For each slot, the slot of the line after it; negative if none is near. */
  next: Int32Array = new Int32Array(16).fill(none)
  /** For each slot, the number of its session, below {@link SessionLinks.numbered}; negative for a free slot. */
  sessionOf: Int32Array = new Int32Array(16).fill(none)
  numbered = 0

  get sessions(): number {
    return this.#sessions.size
  }

  get bytes(): number {
    return this.previous.byteLength * 3 + this.#sessions.size * 160
  }

  add(slot: number, place: SessionPlace): void {
    this.previous = grown(this.previous, slot, none)
    this.next = grown(this.next, slot, none)
    this.sessionOf = grown(this.sessionOf, slot, none)
    const session = this.#sessions.get(place.session) ?? this.#open(place.session)
    const at = placeOf(session.members, place)
    session.members.splice(at, 0, { slot, place })
    this.sessionOf[slot] = session.index
    this.#join(session.members, at)
    this.#join(session.members, at + 1)
  }

  remove(slot: number, place: SessionPlace): void {
    const session = this.#sessions.get(place.session)
    if (session === undefined) return
    const at = placeOf(session.members, place)
    session.members.splice(at, 1)
    this.previous[slot] = none
    this.next[slot] = none
    this.sessionOf[slot] = none
    this.#join(session.members, at)
    if (session.members.length > 0) return
    this.#sessions.delete(place.session)
    this.#free.push(session.index)
  }

  #open(name: string): Session {
    const session = { index: this.#free.pop() ?? this.numbered++, members: [] }
    this.#sessions.set(name, session)
    return session
  }

  /** Links the members before and at a place. */
  #join(members: readonly Member[], at: number): void {
    const before = members[at - 1]
    const after = members[at]
    const near = before !== undefined && after !== undefined && after.place.turn - before.place.turn <= maxTurnGap
    if (after !== undefined) this.previous[after.slot] = near ? before.slot : none
    if (before !== undefined) this.next[before.slot] = near ? after.slot : none
  }
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
