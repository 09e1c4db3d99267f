import type { HistoryMessage, SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { SessionCommit, StoredTurn } from "./session-store.ts"

/**
 * The place of a message in its session. A session's messages are numbered in the order in which they were written. Those of the
 * history follow each other in this order; one that is set aside names the message that it follows.
 */
export interface PlacedMessage {
  readonly position: number
  readonly turnId: string
  /** For a message that is set aside: the position of the message that it follows, -1 for none. Undefined for one of the history. */
  readonly follows: number | undefined
}

/** A {@link PlacedMessage} with its words. */
export interface WholeMessage extends PlacedMessage {
  readonly message: HistoryMessage
}

/**
 * The messages that change places so that the history ends as a commit asks. Those that leave name what they follow. Throws `usage` if `after` names no turn of the session, or if the commit
 * appends to a turn that is there already.
 */
export function movesBehind<Message extends PlacedMessage>(
  key: SessionKey,
  { after, append }: Pick<SessionCommit, "after" | "append">,
  written: readonly Message[],
): { readonly leaving: readonly (Message & { readonly follows: number })[]; readonly returning: readonly Message[] } {
  const end = after === null ? -1 : written.findLast(({ turnId }) => turnId === after)?.position
  if (end === undefined) throw unknownTurn(key, String(after))
  const turns = new Set(written.map(({ turnId }) => turnId))
  const repeated = append.find(({ turnId }) => turns.has(turnId))
  if (repeated !== undefined) throw knownTurn(key, repeated.turnId)
  const parents = parentsOf(written)
  const path = new Set<number>()
  for (let at = end; at >= 0; at = parents.get(at) ?? -1) path.add(at)
  const leaving = written.filter(({ follows, position }) => follows === undefined && !path.has(position))
  return {
    leaving: leaving.map((message) => ({ ...message, follows: parents.get(message.position) ?? -1 })),
    returning: written.filter(({ follows, position }) => follows !== undefined && path.has(position)),
  }
}

/** The messages that leave, as {@link SessionCommit.keepHeard} says, unless they were more than heard. */
export function mayStay<Message extends PlacedMessage>(
  { append, keepHeard }: Pick<SessionCommit, "append" | "keepHeard">,
  leaving: readonly Message[],
): readonly Message[] {
  if (keepHeard !== true) return []
  const replaced = append.length > 0 ? leaving[0]?.turnId : undefined
  return leaving.filter(({ turnId }) => turnId !== replaced)
}

/** The messages that are left without some of them. A message that followed one of these follows what that one followed. */
export function withoutMessages<Message extends PlacedMessage>(
  written: readonly Message[],
  isGone: (message: Message) => boolean,
): readonly Message[] {
  const parents = parentsOf(written)
  const left = written.filter((message) => !isGone(message))
  const kept = new Set(left.map(({ position }) => position))
  return left.map((message) => {
    let { follows } = message
    while (follows !== undefined && follows >= 0 && !kept.has(follows)) follows = parents.get(follows) ?? -1
    return { ...message, follows }
  })
}

/** The same messages with positions from 0 on, without gaps. */
export function renumbered<Message extends PlacedMessage>(written: readonly Message[]): readonly Message[] {
  const places = new Map(written.map(({ position }, at) => [position, at]))
  return written.map((message, position) => {
    const follows = message.follows === undefined ? undefined : (places.get(message.follows) ?? -1)
    return { ...message, position, follows }
  })
}

/** The turns of a session, in the order in which they were begun: {@link SessionStore.branches} over its messages. */
export function turnsOf(written: readonly WholeMessage[]): readonly StoredTurn[] {
  const parents = parentsOf(written)
  const turns: (StoredTurn & { readonly messages: HistoryMessage[] })[] = []
  const turnAt = new Map<number, (typeof turns)[number]>()
  for (const { position, turnId, follows, message } of written) {
    const before = turnAt.get(parents.get(position) ?? -1)
    const isSame = before?.turnId === turnId
    const turn = isSame ? before : { turnId, parent: before?.turnId, isAside: follows !== undefined, messages: [] }
    if (!isSame) turns.push(turn)
    turn.messages.push(message)
    turnAt.set(position, turn)
  }
  for (const turn of turns) Object.freeze(Object.freeze(turn).messages)
  return Object.freeze(turns)
}

/** The position that each message follows, -1 for none. */
function parentsOf(written: readonly PlacedMessage[]): ReadonlyMap<number, number> {
  const parents = new Map<number, number>()
  let last = -1
  for (const { position, follows } of written) {
    parents.set(position, follows ?? last)
    if (follows === undefined) last = position
  }
  return parents
}

function unknownTurn({ agent, conversation }: SessionKey, turnId: string): PromptStrataError {
  const message = `expected \`after\` to name a turn of session ${JSON.stringify(conversation)} of agent ${JSON.stringify(agent)}, found ${JSON.stringify(turnId)}, which it does not have.`
  const hint = "Nothing was written. `branches` lists the session's turns; this one may have been forgotten."
  return new PromptStrataError("usage", message, { hint, evidence: { turnId } })
}

function knownTurn({ agent, conversation }: SessionKey, turnId: string): PromptStrataError {
  const message = `expected the messages of a commit with \`after\` to begin a new turn, found turn ${JSON.stringify(turnId)}, which session ${JSON.stringify(conversation)} of agent ${JSON.stringify(agent)} has already.`
  const hint = "Nothing was written. Give the turn an id of its own; the turns of all branches keep theirs."
  return new PromptStrataError("usage", message, { hint, evidence: { turnId } })
}
