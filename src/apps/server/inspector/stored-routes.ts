import type { Audience, HistoryMessage, ServiceKey } from "../../../core/conversation.ts"
import { Fingerprint } from "../../../core/fingerprint.ts"
import type { TokenCounter } from "../../../core/ports.ts"
import { contextOf, partsOf } from "../../../loop/agent/published-agents.ts"
import type { ProfileStatement, StoredMemory } from "../../../memory/services/store/records.ts"
import { sessionRowId } from "../../../memory/services/store/rows/row-tables.ts"
import { badRequest, HttpProblem } from "../http-problem.ts"
import { readJsonBody } from "../read-body.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route, recordOfCall } from "./route.ts"

/** The memories and facts that a store holds for the user and the conversation of a turn, as they stand now. */
export interface StoredFacts {
  /** The newest memories of the turn's scope and those that the turn recalled, oldest first. */
  readonly memories: readonly StoredMemory[]
  readonly statements: readonly ProfileStatement[]
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** The routes that read the store, and that of token borders. */
export const storedRoutes: readonly Route[] = [
  { method: "GET", path: /^api\/turns\/([\w.-]+)\/stored$/u, answer: stored },
  { method: "POST", path: /^api\/turns\/([\w.-]+)\/recall$/u, answer: recall },
  { method: "GET", path: /^api\/conversations$/u, answer: conversations },
  { method: "GET", path: /^api\/conversations\/(\w+)$/u, answer: messages },
  { method: "POST", path: /^api\/tokens$/u, answer: tokens },
]

/** A message as the list of conversations and a conversation show it. */
export interface ShownMessage {
  readonly role: HistoryMessage["role"]
  readonly speaker: string
  readonly text: string
  /** Milliseconds since 1970. */
  readonly atMs: number
  readonly files: number
}

/** A conversation that the store keeps, also one of another process. */
export interface ShownConversation {
  /** Names it in addresses. */
  readonly id: string
  readonly conversation: string
  readonly audience: Audience
  readonly newest: ShownMessage
}

/** The newest memories that are shown. */
const maxMemories = 200

async function stored(state: InspectorState, call: Call): Promise<Response> {
  const { session, speaker, recalled } = await recordOfCall(state, call)
  const { ports } = await contextOf(state.agent)
  const { store } = partsOf(state.agent)
  const nowMs = ports.clock.nowMs()
  const key: ServiceKey = { ...session, user: speaker.id }
  const recent = await store.memories.recent(key, { limit: maxMemories })
  const known = new Set(recent.map(({ id }) => id))
  const others = recalled.flatMap(({ id }) => (id === undefined || known.has(id) ? [] : id))
  const older = await Promise.all(others.map((id) => store.memories.get(id, key)))
  const { statements } = await store.users.load(key)
  const memories = [...older.filter((memory) => memory !== undefined), ...recent]
  return jsonWithoutSecrets(state, { memories, statements, nowMs } satisfies StoredFacts)
}

/** The newest conversations that are shown, and the newest messages of one. */
const maxShown = 200

/** The conversations of the agent by their newest messages, whichever process they are held in. */
async function conversations(state: InspectorState): Promise<Response> {
  const found = await storedConversations(state)
  const shown: readonly ShownConversation[] = found.map(({ id, key: { conversation, audience }, newest }) => {
    return { id, conversation, audience, newest: shownMessage(newest) }
  })
  return jsonWithoutSecrets(state, shown)
}

/** The newest messages of a conversation, oldest first. */
async function messages(state: InspectorState, { caught: [id] }: Call): Promise<Response> {
  return jsonWithoutSecrets(state, (await storedConversation(state, id)).messages.map(shownMessage))
}

/** A conversation of the list with its newest messages, oldest first. Throws {@link HttpProblem} if it is not there. */
export async function storedConversation(state: InspectorState, id: string | undefined) {
  const found = (await storedConversations(state)).find((one) => one.id === id)
  if (!found) throw new HttpProblem(404, "The store does not have the conversation, or has newer ones in its place.")
  const { store } = await contextOf(state.agent)
  return { key: found.key, messages: await store.messages(found.key, { limit: maxShown }) }
}

/** Conversations under ids of their own: a name in an address may be a secret. */
async function storedConversations({ agent }: InspectorState) {
  const { profile } = await contextOf(agent)
  const found = await partsOf(agent).store.conversations(profile.agent.id, { limit: maxShown })
  return found.map((one) => ({ ...one, id: new Fingerprint().add(sessionRowId(one.key)).digest() }))
}

function shownMessage({ role, speaker, text, atMs, attachments = [] }: HistoryMessage): ShownMessage {
  return { role, speaker: speaker.name, text, atMs, files: attachments.length }
}

/** `{ query }`: the memories that a question would recall in the turn's session, with their scores, and the newest that it would not. */
async function recall(state: InspectorState, call: Call): Promise<Response> {
  const { session, speaker } = await recordOfCall(state, call)
  const { query } = await readJsonBody(call.request, state.maxBodyBytes)
  if (typeof query !== "string") throw badRequest("Expected the words to look for.", "query")
  const { memory, profile } = await contextOf(state.agent)
  if (!memory) throw new HttpProblem(409, "The agent has no memory.")
  const key: ServiceKey = { ...session, user: speaker.id }
  const memories = await memory.recall(query, key, { limit: 50, signal: call.request.signal })
  const found = new Set(memories.map(({ id }) => id))
  const recent = await partsOf(state.agent).store.memories.recent(key, { limit: maxMemories })
  const others = recent.filter(({ id }) => !found.has(id)).reverse()
  const { recallLimit, minConfidence } = profile.memory
  const sure = memories.filter(({ confidence = 1 }) => confidence >= minConfidence).length
  return jsonWithoutSecrets(state, { memories, others, recallLimit: Math.min(recallLimit, sure) })
}

/** `{ text }`: the borders of its tokens, by the agent's counter. */
async function tokens(state: InspectorState, { request }: Call): Promise<Response> {
  const { text } = await readJsonBody(request, state.maxBodyBytes)
  if (typeof text !== "string" || text.length > maxBorderCharacters)
    throw badRequest(`Expected a text of at most ${maxBorderCharacters} characters.`, "text")
  const { counter } = (await contextOf(state.agent)).ports
  const runs = tokenBorders(text, counter)
  if (!runs) throw new HttpProblem(409, "The agent's counter counts tokens and does not tell where they begin.")
  return Response.json({ exact: counter.exact, runs })
}

/** A run of characters that is one token, or several that cannot be told apart by counting. */
interface TokenRun {
  /** The UTF-16 offset behind its last character. */
  readonly end: number
  /** More than 1 for a character of several tokens, and for a long piece. */
  readonly tokens: number
}

/** The most characters of a text whose borders are looked for. */
const maxBorderCharacters = 5_000

/** In a longer piece of the tokenizer the borders are not looked for: that takes the square of its length. */
const maxPiece = 60

/**
 * The borders of tokens in a text. A counter only counts, so a border is where the counts of both sides add up to that of the whole: the
 * runs have as many tokens as the text. Inside a word, where several borders fit, the tokenizer may have another one. Undefined if the counter does not tell its pieces.
 */
export function tokenBorders(text: string, counter: TokenCounter): readonly TokenRun[] | undefined {
  const starts = counter.pieces?.(text)
  if (!starts) return undefined
  return [...starts].flatMap((start, at) => pieceRuns(text.slice(start, starts[at + 1] ?? text.length), start, counter))
}

function pieceRuns(piece: string, start: number, counter: TokenCounter): TokenRun[] {
  const runs: TokenRun[] = []
  let [at, left] = [0, counter.count(piece)]
  while (left > 1 && piece.length <= maxPiece) {
    const end = firstBorder(piece.slice(at), left, counter)
    if (end === undefined) break
    at += end.end
    left -= end.tokens
    runs.push({ end: start + at, tokens: end.tokens })
  }
  return at < piece.length ? [...runs, { end: start + piece.length, tokens: left }] : runs
}

/** The longest beginning of a text that is one token, else the shortest that ends with one. */
function firstBorder(text: string, tokens: number, counter: TokenCounter): TokenRun | undefined {
  let found: TokenRun | undefined
  for (let end = text.length - 1; end > 0; end--) {
    const unit = text.charCodeAt(end)
    if (unit >= 0xdc00 && unit < 0xe000) continue
    const own = counter.count(text.slice(0, end))
    if (own + counter.count(text.slice(end)) !== tokens) continue
    found = { end, tokens: own }
    if (own === 1) break
  }
  return found
}
