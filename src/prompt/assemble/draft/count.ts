import { withLazyMembers } from "../../../core/lazy-pattern.ts"
import { type Memo, memoKind } from "../../../core/memo.ts"
import type { CountedTool, TokenCounter } from "../../../core/ports.ts"
import type { Assembly, Message, MessagePart, Prefix, Span, ToolCall } from "../../../core/span.ts"
import { apart, joined, type MessageCounter, messageCounter } from "../tokens/message-counter.ts"
import type { Draft, DraftMessage, WrittenMessage } from "./draft.ts"
import { samePiece } from "./draft-recorder.ts"
import { prefixesOf } from "./prefixes.ts"

/** A draft whose messages are written out and counted. */
interface CountedDraft extends Pick<Assembly, "messages" | "tokens" | "overheadTokens" | "exact"> {
  /** Makes the spans of the messages. */
  readonly spans: () => readonly Span[]
  /** Finds the prefix of each stability. */
  readonly prefixes: () => readonly Prefix[]
}

/** The counter of a draft, and the native tools that go with the request. */
export interface Counting {
  readonly counter: TokenCounter
  /** Remembers what was counted. */
  readonly memo: Memo
  readonly tools?: readonly CountedTool[] | undefined
}

/** Counts a draft: the contents of its messages and what the provider adds around them. */
export function countDraft({ messages }: Draft, { counter: given, memo, tools }: Counting): number {
  const counter = messageCounter(given, memo)
  const [sketches, others, known] = writtenOf(messages, counter)
  let tokens = known
  for (const [index, message] of others) {
    const { role, pieces, calls } = message
    const written = writtenBefore(message, index, counter)
    tokens += written?.growth.tokens ?? counter.message(pieces)
    if (calls?.toolCalls) tokens += jsonTokens(calls.toolCalls, given, memo)
    // The overhead of a provider seldom depends on the content, so it is joined only when it is read.
    const content = () => joined(pieces)
    sketches[index] = written?.message ?? withLazyMembers({ role }, { content })
  }
  return tokens + (given.overhead?.(sketches, tools) ?? jsonTokens(tools, given, memo))
}

/**
 * The messages that are written out already, and their tokens. The others, and those with native calls, are looked at one by one:
 * a long loop stands by itself, because all that a function calls is compiled with it where its loop is hot.
 */
function writtenOf(messages: readonly DraftMessage[], counter: MessageCounter) {
  const sketches: Message[] = []
  const others: [number, DraftMessage][] = []
  let tokens = 0
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as DraftMessage
    const { written, calls } = message
    // Of the others, there is a sketch later.
    sketches.push(written?.message as Message)
    if (written?.counter === counter && !calls) tokens += written.growth.tokens
    else others.push([index, message])
  }
  return [sketches, others, tokens] as const
}

/** Writes a draft out as messages and counts them. */
export function countMessages(draft: Draft, { counter: given, memo, tools }: Counting): CountedDraft {
  const counter = messageCounter(given, memo)
  const written: WrittenMessage[] = []
  const messages: Message[] = []
  let isEstimated = !given.exact || (!given.overhead && tools !== undefined && tools.length > 0)
  let [tokens, ofCalls] = [0, 0]
  for (let index = 0; index < draft.messages.length; index++) {
    const message = draft.messages[index]
    if (!message) break
    if (message.calls?.toolCalls) ofCalls += jsonTokens(message.calls.toolCalls, given, memo)
    const own = writeMessage(message, index, counter)
    written.push(own)
    messages.push(own.message)
    tokens += own.growth.tokens
    if (own.message.toolCalls || own.message.parts) isEstimated = true
  }
  return {
    messages,
    exact: !isEstimated,
    spans: () => written.flatMap(spansOf),
    tokens,
    overheadTokens: (given.overhead?.(messages, tools) ?? jsonTokens(tools, given, memo)) + ofCalls,
    prefixes: () => prefixesOf(written),
  }
}

const none: readonly CountedTool[] = []

/** The last count of each list of native calls or tools. The steps of a turn have the same lists, and fitting counts them often. */
const countedLists = memoKind<readonly object[], { readonly counter: TokenCounter; readonly tokens: number }>()

/**
 * An estimate of the tokens of native tools, or of a message's native calls with the thoughts that a provider wants back: providers do
 * not say how they print them. JSON is the longest of the usual forms.
 */
export function jsonTokens(
  list: readonly ToolCall[] | readonly CountedTool[] = none,
  counter: TokenCounter,
  memo?: Memo,
): number {
  const known = memo?.get(countedLists, list)
  if (known?.counter === counter) return known.tokens
  const tokens = list.length === 0 ? 0 : counter.count(JSON.stringify(list))
  memo?.set(countedLists, list, { counter, tokens })
  return tokens
}

/** Writes a message out and counts it, once for each counter. */
function writeMessage(draft: DraftMessage, index: number, counter: MessageCounter): WrittenMessage {
  const known = writtenBefore(draft, index, counter)
  if (known) return known
  const { role, calls, pieces } = draft
  let message: Message = { role, content: joined(pieces), ...calls }
  const parts: MessagePart[] = []
  let end = 0
  for (const piece of pieces) {
    end += piece.text.length
    if (piece.parts) for (const { attachment } of piece.parts) parts.push({ end, attachment })
  }
  if (parts.length > 0) message = { ...message, parts }
  draft.written = { counter, message, growth: counter.growth(pieces), pieces, runs: undefined }
  if (pieces.length >= longMessage && !calls) {
    const all = counter.memo.made(longMessages, counter, () => [])
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

const longMessages = memoKind<MessageCounter, WrittenMessage[][]>()

/** The message as it was written out before: itself, or one of the same pieces in a request before. */
function writtenBefore(draft: DraftMessage, index: number, counter: MessageCounter): WrittenMessage | undefined {
  const { written, role, calls, pieces } = draft
  if (written?.counter === counter) return written
  if (pieces.length < longMessage || calls) return undefined
  for (const known of counter.memo.get(longMessages, counter)?.[index] ?? []) {
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
