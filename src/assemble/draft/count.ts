import type { CountedTool, TokenCounter } from "../../core/ports.ts"
import type { Message, MessagePart, Prefix, Span, ToolCall } from "../../core/span.ts"
import { apart, joined, type MessageCounter } from "../tokens/counted-message.ts"
import { messageCounter } from "../tokens/message-counter.ts"
import type { Draft, DraftMessage, WrittenMessage } from "./draft.ts"
import { samePiece } from "./draft-recorder.ts"
import { evenRuns, prefixesOf } from "./prefixes.ts"

/** A draft whose messages are written out and counted. */
interface CountedDraft {
  readonly messages: readonly Message[]
  /** Makes the spans of the messages. */
  readonly spans: () => readonly Span[]
  /** Tokens of the messages' contents. */
  readonly tokens: number
  /** Tokens that the provider adds around the messages, and those of native tools and calls. */
  readonly overheadTokens: number
  readonly prefixes: readonly Prefix[]
}

/** The counter of a draft, and the native tools that go with the request. */
export interface Counting {
  readonly counter: TokenCounter
  readonly tools?: readonly CountedTool[] | undefined
}

/** Counts a draft: the contents of its messages and what the provider adds around them. */
export function countDraft({ messages }: Draft, { counter: given, tools }: Counting): number {
  const counter = messageCounter(given)
  let tokens = 0
  for (const [index, message] of messages.entries()) {
    const { pieces, calls } = message
    tokens += writtenBefore(message, index, counter)?.growth.tokens ?? counter.message(pieces)
    if (calls?.toolCalls) tokens += callTokens(calls.toolCalls, given)
  }
  if (!given.overhead) return tokens + schemaTokens(given, tools)
  const sketches = messages.map((message) => message.written?.message ?? new Unwritten(message))
  return tokens + given.overhead(sketches, tools)
}

/** Writes a draft out as messages, counts them, and finds the prefix of each stability. */
export function countMessages(draft: Draft, { counter: given, tools }: Counting): CountedDraft {
  const counter = messageCounter(given)
  const written: WrittenMessage[] = []
  const messages: Message[] = []
  let [tokens, ofCalls] = [0, 0]
  for (const [index, message] of draft.messages.entries()) {
    if (message.calls?.toolCalls) ofCalls += callTokens(message.calls.toolCalls, given)
    const own = writeMessage(message, index, counter)
    written.push(own)
    messages.push(own.message)
    tokens += own.growth.tokens
  }
  return {
    messages,
    spans: () => written.flatMap(spansOf),
    tokens,
    overheadTokens: (given.overhead?.(messages, tools) ?? schemaTokens(given, tools)) + ofCalls,
    prefixes: prefixesOf(messages, written),
  }
}

/** True if all tokens of a request are counted exactly: those of native calls, pictures and files are estimated, and without `overhead` those of native tools too. */
export function isExact({ counter, tools = [] }: Counting, messages: readonly Message[]): boolean {
  return (
    counter.exact &&
    (counter.overhead !== undefined || tools.length === 0) &&
    messages.every(({ toolCalls, parts }) => !toolCalls && !parts)
  )
}

/** The last count of each message's native calls. Fitting counts them often. */
const countedCalls = new WeakMap<readonly ToolCall[], { readonly counter: TokenCounter; readonly tokens: number }>()

/** An estimate of the tokens of a message's native calls, with the thoughts that a provider wants back: as JSON, as for tools. */
export function callTokens(calls: readonly ToolCall[], counter: TokenCounter): number {
  const known = countedCalls.get(calls)
  if (known?.counter === counter) return known.tokens
  const tokens = counter.count(JSON.stringify(calls))
  countedCalls.set(calls, { counter, tokens })
  return tokens
}

/** The last count of each list of native tools. The steps of a turn have the same list, and fitting counts it often. */
const countedTools = new WeakMap<readonly CountedTool[], { readonly counter: TokenCounter; readonly tokens: number }>()

/** An estimate of the tokens of native tools: providers do not say how they print them. JSON is the longest of the usual forms. */
function schemaTokens(counter: TokenCounter, tools: readonly CountedTool[] = []): number {
  const known = countedTools.get(tools)
  if (known?.counter === counter) return known.tokens
  const tokens = tools.length === 0 ? 0 : counter.count(JSON.stringify(tools))
  countedTools.set(tools, { counter, tokens })
  return tokens
}

/** A message whose content is joined only when it is read, because the overhead of a provider seldom depends on it. */
class Unwritten {
  readonly role: string
  readonly #pieces: DraftMessage["pieces"]

  constructor({ role, pieces }: DraftMessage) {
    this.role = role
    this.#pieces = pieces
  }

  get content(): string {
    return joined(this.#pieces)
  }
}

/** Writes a message out and counts it, once for each counter. */
function writeMessage(draft: DraftMessage, index: number, counter: MessageCounter): WrittenMessage {
  const known = writtenBefore(draft, index, counter)
  if (known) return known
  const { role, calls, pieces } = draft
  let message: Message = { role, content: joined(pieces), ...calls }
  const runs = evenRuns(message, pieces)
  const parts: MessagePart[] = []
  let end = 0
  for (const piece of pieces) {
    end += piece.text.length
    if (piece.parts) for (const { attachment } of piece.parts) parts.push({ end, attachment })
  }
  if (parts.length > 0) message = { ...message, parts }
  draft.written = { counter, message, growth: counter.growth(pieces), pieces, runs }
  if (pieces.length >= longMessage && !calls) {
    const all = longMessages.get(counter) ?? []
    longMessages.set(counter, all)
    all[index] = [draft.written, ...(all[index] ?? []).slice(0, mostAtIndex - 1)]
  }
  return draft.written
}

/** The spans of the message with some index. They are made once for each index that it has. */
function spansOf(written: WrittenMessage, index: number): readonly Span[] {
  if (written.placed?.index === index) return written.placed.spans
  const shares = written.growth.shares()
  const spans: Span[] = []
  for (const piece of apart(written.pieces)) {
    const tokens = shares[spans.length] ?? 0
    if (piece.span?.tokens !== tokens || piece.span.message !== index) {
      const { text, key, part, trust, stability, source, parts: behind } = piece
      piece.span = source
        ? { text, message: index, key, part, trust, stability, source, tokens }
        : { text, message: index, key, part, trust, stability, tokens }
      if (behind) piece.span = { ...piece.span, parts: behind }
    }
    spans.push(piece.span)
  }
  written.placed = { index, spans }
  return spans
}

/** Messages of so many pieces are remembered. Shorter ones take less than a look at those before. */
const longMessage = 16
/** The number of messages that are remembered for each index: those of the latest requests. */
const mostAtIndex = 4

const longMessages = new WeakMap<MessageCounter, WrittenMessage[][]>()

/** The message as it was written out before: itself, or one of the same pieces in a request before. */
function writtenBefore(draft: DraftMessage, index: number, counter: MessageCounter): WrittenMessage | undefined {
  const { written, role, calls, pieces } = draft
  if (written?.counter === counter) return written
  if (pieces.length < longMessage || calls) return undefined
  for (const known of longMessages.get(counter)?.[index] ?? []) {
    let at = known.message.role === role && known.pieces.length === pieces.length ? pieces.length : -1
    // From the end, because requests differ there first.
    for (; at > 0; at--) {
      if (!samePiece(known.pieces[at - 1], pieces[at - 1])) break
    }
    if (at !== 0) continue
    draft.written = known
    return known
  }
  return undefined
}
