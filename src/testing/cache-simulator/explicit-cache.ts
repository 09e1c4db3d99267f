import { Fingerprint } from "../../core/fingerprint.ts"
import type { Assembly } from "../../core/span.ts"
import type { CacheAnswer, PlayedCache } from "./automatic-cache.ts"
import type { CacheRules } from "./cache-options.ts"
import type { CountedRequest } from "./counted-request.ts"
import type { TextTokens } from "./text-tokens.ts"

/** Providers take no more marks in one request. */
const maxMarks = 4

/** How many blocks before a mark a provider looks for what it kept. */
const lookbackBlocks = 20

/** A place where a block of a request ends: a message's end, or a mark inside one. */
interface BlockEnd {
  readonly tokens: number
  /** Equal where everything before is equal. */
  readonly digest: string
  readonly marked: boolean
}

/** Keeps what ends at a mark, and serves what ends at a mark or up to twenty blocks before one. */
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
      return { cachedTokens, writtenTokens, expired: held !== hit, ...(nearest === undefined ? {} : { nearest }) }
    },
  }
}

/** Where blocks end, in order. A place inside a message counts the pieces that end before it. */
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

/** Where the assembly's prefixes end, each place once, by message in ascending order. */
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
