import { hostTimers, type Timers } from "../../core/ports.ts"
import type { Session } from "../../loop/agent/session.ts"
import type { BotMessage } from "./bot-message.ts"

/** An album of which more parts may come. */
interface Album {
  readonly parts: BotMessage[]
  /** Waits for the next part, from now on. */
  wait(): void
  end(): void
}

/** The albums that are coming in. An album is in here for as long as its first part waits, so its session is the same one. */
const incoming = new Map<Session, Map<string, Album>>()
/** Platforms send the parts of an album at once, one behind the other. */
const waitMs = 1_000
/** A message has at most so many files. */
const maxParts = 20

/**
 * Waits for the other parts of an album, until none has come for a second, and resolves with the whole message; for another part than
 * the first with undefined, at once. A part that came twice counts once. One that comes too late, or as the 21st, begins a message of
 * its own. Nobody's parts join those of another person or of another session.
 */
export async function wholeAlbum(
  session: Session,
  part: BotMessage,
  timers: Timers = hostTimers,
): Promise<BotMessage | undefined> {
  const name = JSON.stringify([part.from, part.album])
  const albums = incoming.get(session) ?? new Map<string, Album>()
  const begun = albums.get(name)
  if (begun?.parts.some(({ id }) => id === part.id)) return undefined
  if (begun && begun.parts.length < maxParts) {
    begun.parts.push(part)
    begun.wait()
    return undefined
  }
  begun?.end()
  const { promise, resolve } = Promise.withResolvers<BotMessage>()
  let timer: unknown
  const album: Album = {
    parts: [part],
    wait() {
      timers.clear(timer)
      timer = timers.set(album.end, waitMs)
    },
    end() {
      timers.clear(timer)
      albums.delete(name)
      if (albums.size === 0) incoming.delete(session)
      resolve(joined(part, album.parts))
    },
  }
  incoming.set(session, albums.set(name, album))
  album.wait()
  return promise
}

/** The message of an album. It is known by the id of the part with words, because those are what a person edits. */
function joined(first: BotMessage, parts: readonly BotMessage[]): BotMessage {
  const texts = parts.map(({ text }) => text).filter((text) => text.trim() !== "")
  return {
    ...first,
    id: (parts.find(({ text }) => text.trim() !== "") ?? first).id,
    text: texts.join("\n"),
    files: parts.flatMap(({ files }) => files ?? []),
    media: parts.flatMap(({ media }) => media ?? []),
    mentions: parts.flatMap(({ mentions }) => mentions ?? []),
    replyTo: parts.find(({ replyTo }) => replyTo !== undefined)?.replyTo,
  }
}
