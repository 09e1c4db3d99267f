import { Fingerprint, hashText, joinHashes, type TextHash } from "../../../core/fingerprint.ts"
import { withLazyMembers } from "../../../core/lazy-pattern.ts"
import { authored, type Memo, memoKind } from "../../../core/memo.ts"
import type { CountedTool, TokenCounter } from "../../../core/ports.ts"
import type { Assembly, Message, MessagePart, Prefix, Span, ToolCall } from "../../../core/span.ts"
import { type Stability, stabilities } from "../../../core/value.ts"
import { apart, type Growth, joined, type MessageCounter, messageCounter } from "../tokens/message-counter.ts"
import type { Draft, DraftMessage, EvenRun, Piece, WrittenMessage } from "./draft.ts"
import { samePiece } from "./draft-recorder.ts"

/** A counted message. Its runs are found once. */
interface CountedMessage {
  readonly message: Message
  readonly growth: Pick<Growth, "upTo">
  readonly pieces: readonly Piece[]
  runs: readonly EvenRun[] | undefined
}

/** Finds the prefix of each stability: it ends before the first piece that changes more often (S15). */
export function prefixesOf(messages: readonly CountedMessage[]): Prefix[] {
  const fingerprint = new Fingerprint()
  const prefixes: Prefix[] = []
  // The message at hand, its UTF-16 units and pieces so far, the tokens of the messages before it, and the place of the next run.
  let [message, end, count, tokensBefore, next, place] = [-1, 0, 0, 0, 0, 0]
  // Each prefix begins with the whole prefix of the stability before it, so that one walk finds them all.
  for (const stability of stabilities) {
    for (let one = messages[next]; one; one = messages[next]) {
      one.runs ??= evenRuns(one.message, one.pieces)
      const run = one.runs[place]
      if (!run) {
        next++
        place = 0
        continue
      }
      if (rankOf[run.stability] > rankOf[stability]) break
      while (message < next) {
        tokensBefore += messages[message]?.growth.upTo(count) ?? 0
        message++
        ;[end, count] = [0, 0]
        const begun = messages[message]
        if (begun?.runs?.length === 0) fingerprint.addHash(openingHash(begun.message))
      }
      fingerprint.addHash(run.hash)
      end += run.units
      count += run.pieces
      place++
    }
    const tokens = tokensBefore + (messages[message]?.growth.upTo(count) ?? 0)
    prefixes.push({ stability, message: Math.max(0, message), end, tokens, fingerprint: fingerprint.digest() })
  }
  return prefixes
}

const rankOf = Object.fromEntries(stabilities.map((stability, rank) => [stability, rank])) as Record<Stability, number>

/** The hash of a span's text, and of what stands behind it. */
function spanHash({ text, parts }: Pick<Span, "text" | "parts">): TextHash {
  if (parts === undefined) return hashText(text)
  return hashText(`${text}\u0000${JSON.stringify(parts.map(({ attachment }) => attachment))}\u0000`)
}

/** The hash of a message's role and calls. It separates messages, and stands for calls, which have no spans. */
function openingHash({ role, toolCalls, toolCallId }: Pick<Message, "role" | "toolCalls" | "toolCallId">): TextHash {
  if (toolCalls !== undefined || toolCallId !== undefined)
    return hashText(`\u0000${role}${JSON.stringify([toolCalls, toolCallId])}\u0000`)
  return hashText(`\u0000${role}\u0000`)
}

/** The runs of a message's pieces. Each piece keeps its own hash for the next time. */
function evenRuns(message: Message, pieces: readonly Piece[]): EvenRun[] {
  const runs: EvenRun[] = []
  for (let at = 0; at < pieces.length; ) {
    const [first, stability] = [at, pieces[at]?.stability ?? "turn"]
    let [hash, units] = [at === 0 ? openingHash(message) : emptyHash, 0]
    for (let piece = pieces[at]; piece?.stability === stability; piece = pieces[++at]) {
      piece.hash ??= spanHash(piece)
      hash = joinHashes(hash, piece.hash)
      units += piece.text.length
    }
    runs.push({ stability, hash, pieces: at - first, units })
  }
  return runs
}

const emptyHash = hashText("")

/** A draft whose messages are written out and counted. */
interface CountedDraft extends Pick<Assembly, "messages" | "tokens" | "overheadTokens" | "exact"> {
  /** Makes the spans of the messages. */
  readonly spans: () => readonly Span[]
  /** Finds the prefix of each stability. */
  readonly prefixes: () => readonly Prefix[]
}

/** The counter of a draft, and the native tools that go with the request. */
export interface CountOptions {
  readonly counter: TokenCounter
  /** Remembers what was counted. */
  readonly memo: Memo
  readonly tools?: readonly CountedTool[] | undefined
}

/** Counts a draft: the contents of its messages and what the provider adds around them. */
export function countDraft({ messages }: Draft, { counter: given, memo, tools }: CountOptions): number {
  const counter = messageCounter(given, memo)
  const [sketches, others, known] = writtenOf(messages, counter)
  let tokens = known
  for (const [index, message] of others) {
    const { role, pieces, calls } = message
    const written = writtenBefore(message, index, counter)
    tokens += written?.growth.tokens ?? counter.message(pieces)
    if (calls?.toolCalls) tokens += jsonTokens(calls.toolCalls, given)
    // The overhead of a provider seldom depends on the content, so it is joined only when it is read.
    const content = () => joined(pieces)
    sketches[index] = written?.message ?? withLazyMembers({ role }, { content })
  }
  return tokens + (given.overhead?.(sketches, tools) ?? jsonTokens(tools, given))
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
export function countMessages(draft: Draft, { counter: given, memo, tools }: CountOptions): CountedDraft {
  const counter = messageCounter(given, memo)
  const written: WrittenMessage[] = []
  const messages: Message[] = []
  let isEstimated = !given.exact || (!given.overhead && tools !== undefined && tools.length > 0)
  let [tokens, ofCalls] = [0, 0]
  for (let index = 0; index < draft.messages.length; index++) {
    const message = draft.messages[index]
    if (!message) break
    if (message.calls?.toolCalls) ofCalls += jsonTokens(message.calls.toolCalls, given)
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
    overheadTokens: (given.overhead?.(messages, tools) ?? jsonTokens(tools, given)) + ofCalls,
    prefixes: () => prefixesOf(written),
  }
}

/** The last count of each list of native calls or tools, which never change: a number, for all sessions. Fitting counts them often. */
const countedLists = memoKind<readonly object[], { readonly counter: TokenCounter; readonly tokens: number }>()

/**
 * An estimate of the tokens of native tools, or of a message's native calls with the thoughts that a provider wants back: providers do
 * not say how they print them. JSON is the longest of the usual forms.
 */
export function jsonTokens(list: readonly ToolCall[] | readonly CountedTool[] | undefined, counter: TokenCounter): number {
  if (!list?.length) return 0
  const known = authored.get(countedLists, list)
  if (known?.counter === counter) return known.tokens
  return authored.set(countedLists, list, { counter, tokens: counter.count(JSON.stringify(list)) }).tokens
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
