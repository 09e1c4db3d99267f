import type { Message } from "../../core/message.ts"
import { findParting, sharedUnits } from "../../trace/diff-assemblies.ts"
import type { CacheRules } from "./cache-options.ts"
import type { CountedRequest } from "./counted-request.ts"
import type { TextTokens } from "./text-tokens.ts"

/** What a cache does with a request. */
export interface CacheAnswer {
  readonly cachedTokens: number
  /** Put into the cache at the price of writing. */
  readonly writtenTokens: number
  /** Which earlier request it has most in common with; absent for the first. */
  readonly nearest?: number
  /** True when more would have been served had it not been too long ago. */
  readonly expired: boolean
}

/** A cache that is asked in the order of the requests. */
export interface PlayedCache {
  ask(request: CountedRequest, atMs: number): CacheAnswer
}

/** A message that was sent after those above it. */
interface SentMessage {
  readonly message: Message | undefined
  readonly after: SentMessage[]
  request: number
  atMs: number
}

/** Keeps every request's beginning and serves the longest one in whole blocks. */
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
        : { cachedTokens: 0, writtenTokens: 0, expired: false, ...(asked > 0 && { nearest: asked - 1 }) }
      byLead.set(request.leadTokens, root)
      keep(root, request.assembly.messages, { request: asked++, atMs })
      return answer
    },
  }
}

function isSame({ message }: SentMessage, other: Message): boolean {
  return message !== undefined && findParting([message], [other]).what === "nothing"
}

/** The one whose text goes on the same for longest; the latest of equals. */
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
