import { Fingerprint } from "../../core/fingerprint.ts"
import type { Assembly, Message } from "../../core/span.ts"
import { findParting, sharedUnits } from "../../trace/diff-assemblies.ts"
import type { CountedRequest, TextTokens } from "./request-tokens.ts"

/** Options with every default filled in. */
export interface CacheRules {
  readonly minTokens: number
  readonly blockTokens: number
  readonly ttlMs: number
}

/** The result of one request to a cache. */
export interface CacheAnswer {
  readonly cachedTokens: number
  /** Tokens put into the cache, at the price of writing. */
  readonly writtenTokens: number
  /** The earlier request that it has most in common with, from 0; undefined for the first. */
  readonly nearest: number | undefined
  /** True when an entry that is too old would have served more. */
  readonly expired: boolean
}

/** A simulated cache. Ask it in the order of the requests. */
interface PlayedCache {
  ask(request: CountedRequest, atMs: number): CacheAnswer
}

/** A sent message in a tree: its parent is the message before it. */
interface SentMessage {
  readonly message: Message | undefined
  readonly after: SentMessage[]
  request: number
  atMs: number
}

/** A cache that keeps the beginning of every request and serves the longest common one, in whole blocks. */
export function automaticCache({ minTokens, blockTokens, ttlMs }: CacheRules, tokens: TextTokens): PlayedCache {
  const byLead = new Map<number, SentMessage>()
  let asked = 0

  const walk = (root: SentMessage, { assembly, tokensBefore }: CountedRequest, atMs: number): CacheAnswer => {
    let node = root
    for (const [index, message] of assembly.messages.entries()) {
      const alive = node.after.filter((sent) => atMs - sent.atMs <= ttlMs)
      const same = alive.find((sent) => isSame(sent, message))
      if (same) {
        node = same
        continue
      }
      const nearest = nearestOf(alive, message)
      const inside = nearest ? tokens.shared(nearest.message?.content ?? "", message.content) : 0
      const expired = sharedWith(nearestOf(node.after, message), message) > sharedWith(nearest, message)
      return served((tokensBefore[index] ?? 0) + inside, nearest ?? node, expired)
    }
    return served(tokensBefore.at(-1) ?? 0, node, false)
  }

  const served = (sharedTokens: number, { request }: SentMessage, expired: boolean): CacheAnswer => {
    const blocks = Math.floor(sharedTokens / blockTokens) * blockTokens
    return { cachedTokens: blocks < minTokens ? 0 : blocks, writtenTokens: 0, nearest: request, expired }
  }

  return {
    ask(request, atMs) {
      const known = byLead.get(request.leadTokens)
      const root = known ?? { message: undefined, after: [], request: asked, atMs }
      const answer = known
        ? walk(known, request, atMs)
        : { cachedTokens: 0, writtenTokens: 0, expired: false, nearest: asked > 0 ? asked - 1 : undefined }
      byLead.set(request.leadTokens, root)
      keep(root, request.assembly.messages, { request: asked++, atMs })
      return answer
    },
  }
}

function isSame({ message }: SentMessage, other: Message): boolean {
  return message?.content === other.content && findParting([message], [other]).what === "nothing"
}

/** The message with the longest common beginning; the latest of equals. */
function nearestOf(sent: readonly SentMessage[], message: Message): SentMessage | undefined {
  let nearest: SentMessage | undefined
  let longest = 0
  for (const candidate of sent) {
    const units = sharedWith(candidate, message)
    if (units > 0 && units >= longest) [nearest, longest] = [candidate, units]
  }
  return nearest
}

function sharedWith(sent: SentMessage | undefined, { role, toolCallId, content }: Message): number {
  if (sent?.message?.role !== role || sent.message.toolCallId !== toolCallId) return 0
  return sharedUnits(sent.message.content, content)
}

function keep(root: SentMessage, messages: readonly Message[], use: { readonly request: number; readonly atMs: number }): void {
  let node = Object.assign(root, use)
  for (const message of messages) {
    const same = node.after.find((sent) => isSame(sent, message))
    if (same) node = Object.assign(same, use)
    else {
      const added: SentMessage = { message, after: [], ...use }
      node.after.push(added)
      node = added
    }
  }
}

/** Providers accept at most this many marks in a request. */
const maxMarks = 4

/** A provider searches this many blocks before a mark for an entry that it keeps. */
const lookbackBlocks = 20

/** The end of a block of a request: the end of a message, or a mark inside one. */
interface BlockEnd {
  readonly tokens: number
  /** Equal if everything before it is equal. */
  readonly digest: string
  readonly marked: boolean
}

/** A cache that keeps what ends at a mark, and serves what ends at a mark or up to twenty blocks before one. */
export function explicitCache({ minTokens, ttlMs }: CacheRules, texts: TextTokens): PlayedCache {
  const kept = new Map<string, { request: number; atMs: number }>()
  let asked = 0
  return {
    ask(request, atMs): CacheAnswer {
      const ends = blockEnds(request, texts)
      const within = ends.filter((_, at) => ends.slice(at, at + 1 + lookbackBlocks).some(({ marked }) => marked))
      const long = within.filter(({ tokens }) => tokens >= minTokens)
      const held = long.findLast(({ digest }) => kept.has(digest))
      const hit = long.findLast(({ digest }) => {
        const entry = kept.get(digest)
        return entry !== undefined && atMs - entry.atMs <= ttlMs
      })
      const nearest = hit ? kept.get(hit.digest)?.request : asked > 0 ? asked - 1 : undefined
      const cachedTokens = hit?.tokens ?? 0
      const writtenTokens = Math.max(0, (long.findLast(({ marked }) => marked)?.tokens ?? 0) - cachedTokens)
      if (hit) kept.set(hit.digest, { request: asked, atMs })
      for (const { digest, marked } of long) if (marked) kept.set(digest, { request: asked, atMs })
      asked++
      return { cachedTokens, writtenTokens, expired: held !== hit, nearest }
    },
  }
}

/** The ends of all blocks, in order. For a mark inside a message, the pieces that end before it are counted. */
function blockEnds(request: CountedRequest, texts: TextTokens): BlockEnd[] {
  const { assembly, leadTokens, tokensBefore } = request
  const marks = marksOf(assembly)
  const fingerprint = new Fingerprint().add(`${leadTokens}`)
  const ends: BlockEnd[] = []
  for (const [index, { role, content, toolCallId, toolCalls = [] }] of assembly.messages.entries()) {
    fingerprint.add(JSON.stringify([role, toolCallId]))
    let done = 0
    for (const end of marks.get(index) ?? []) {
      if (end >= content.length) continue
      fingerprint.add(content.slice(done, end))
      ends.push({ tokens: (tokensBefore[index] ?? 0) + texts.upTo(content, end), digest: fingerprint.digest(), marked: true })
      done = end
    }
    fingerprint.add(content.slice(done)).add(JSON.stringify(toolCalls))
    const marked = (marks.get(index) ?? []).some((end) => end >= content.length)
    ends.push({ tokens: tokensBefore[index + 1] ?? 0, digest: fingerprint.digest(), marked })
  }
  return ends
}

/** The ends of the assembly's prefixes by message, each once, in ascending order. */
function marksOf({ prefixes, messages }: Assembly): ReadonlyMap<number, readonly number[]> {
  const marks = new Map<number, number[]>()
  for (const { message, end, tokens } of prefixes.slice(0, maxMarks)) {
    const ends = marks.get(message) ?? []
    if (tokens > 0 && message < messages.length && end > 0 && !ends.includes(end))
      marks.set(
        message,
        [...ends, end].sort((a, b) => a - b),
      )
  }
  return marks
}
