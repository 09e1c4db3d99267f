import type { Timers } from "../../core/ports.ts"
import type { ReadyMessage } from "./take-message.ts"

/** Platforms send the parts of an album at once, one behind the other. */
const waitMs = 1_000
/** A message has at most so many files. */
export const maxParts = 20

/**
 * An album of which more parts may come: it is whole once all that came are kept and no other has come for a second. A part that comes
 * twice counts once.
 */
export class Album {
  /** Resolves once no further part is taken. */
  readonly whole: Promise<void>
  /** Resolves to false if its parts are messages of their own, because they came too late. */
  readonly isOpen: Promise<boolean>
  readonly #timers: Timers
  readonly #places = new Map<string, number>()
  readonly #end: () => void
  #isOver = false
  #loading = 0
  #timer: unknown

  constructor(timers: Timers, open: (album: Album) => Promise<boolean>) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#timers = timers
    this.whole = promise
    this.#end = () => {
      this.#isOver = true
      resolve()
    }
    this.isOpen = open(this)
  }

  /** Waits for a part until `release`, and gives it its place. Undefined if the part comes too late, or is one too many. */
  hold(id: string): number | undefined {
    const place = this.#places.get(id) ?? this.#places.size
    if (this.#isOver || place === maxParts) return undefined
    this.#places.set(id, place)
    this.#loading++
    this.#timers.clear(this.#timer)
    return place
  }

  release(): void {
    this.#loading--
    if (this.#loading === 0) this.#timer = this.#timers.set(this.#end, waitMs)
  }
}

/** The message of an album. It is known by the id of the part with words, because those are what a person edits. */
export function joined(first: ReadyMessage, parts: readonly ReadyMessage[]): ReadyMessage {
  if (parts.length === 1) return first
  const texts = parts.map(({ text }) => text).filter((text) => text.trim() !== "")
  return {
    ...first,
    id: (parts.find(({ hasWords }) => hasWords) ?? first).id,
    text: texts.join("\n"),
    files: parts.flatMap(({ files }) => files),
    mentions: parts.flatMap(({ mentions }) => mentions ?? []),
    replyTo: parts.find(({ replyTo }) => replyTo !== undefined)?.replyTo,
  }
}
