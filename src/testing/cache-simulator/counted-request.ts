import type { Message } from "../../core/message.ts"
import type { Assembly } from "../../core/span.ts"
import type { TextTokens } from "./text-tokens.ts"

/** A request with its tokens, message by message. */
export interface CountedRequest {
  readonly assembly: Assembly
  /** Everything the provider bills: contents and what stands around them. */
  readonly promptTokens: number
  /** What stands before the first message, such as native tools, as far as the overhead tells. */
  readonly leadTokens: number
  /** Tokens before each message, what stands around the earlier ones included; one more for the end. */
  readonly tokensBefore: readonly number[]
  /** Tokens of each message's content. */
  readonly contentTokens: readonly number[]
}

/** Counts a request. */
export function countRequest(assembly: Assembly, { counter, count }: TextTokens): CountedRequest {
  const { messages, overheadTokens } = assembly
  const around = (list: readonly Message[]) => counter.overhead?.(list) ?? 0
  const contentTokens = messages.map(({ content }) => count(content))
  const leadTokens = Math.max(0, overheadTokens - around(messages))
  const tokensBefore = [leadTokens]
  let total = leadTokens
  for (const [index, message] of messages.entries()) {
    total += (contentTokens[index] ?? 0) + around([message]) - around([])
    tokensBefore.push(total)
  }
  return { assembly, promptTokens: total + around([]), leadTokens, tokensBefore, contentTokens }
}
