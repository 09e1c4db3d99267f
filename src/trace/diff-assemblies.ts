import type { MessageRole } from "../core/message.ts"
import type { Assembly } from "../core/span.ts"
import { type ChangedSpan, claimsToBeStable, findChangedSpan } from "./changed-span.ts"
import { type Excerpt, excerptAround } from "./excerpt.ts"
import { endsAt, findParting, type Parting } from "./parting.ts"

/** What became of a request in the next one (S15). */
export interface AssemblyDifference extends Parting {
  /**
   * `none`: they are equal. `extended`: the previous one stands whole and unchanged at the beginning of the next one.
   * `shortened`: the next one is a beginning of the previous one. `changed`: anything else.
   */
  readonly outcome: "none" | "extended" | "shortened" | "changed"
  /**
   * Tokens of the contents before the place where they part, by the next request's spans; of a span that only begins the
   * same, its share by length. `simulateCache` counts with the tokenizer.
   */
  readonly sharedTokens: number
  /** The span that made the difference: absent where they are equal, or where none stands, as in a message of native calls. */
  readonly span?: ChangedSpan
  /** True when something that claims to be `global` or `session` changed: all that follows it falls out of a provider's cache. */
  readonly brokeStable: boolean
  /** Whose message the place is in; absent where a request has ended. */
  readonly roles: { readonly previous?: MessageRole; readonly next?: MessageRole }
  readonly excerpt: Excerpt
}

/** Names the first span that differs between two requests, of any prompts. Pure; linear in their text (S15). */
export function diffAssemblies(previous: Assembly, next: Assembly): AssemblyDifference {
  const parting = findParting(previous.messages, next.messages)
  const outcome = outcomeOf(previous, next, parting)
  const span = outcome === "none" ? undefined : findChangedSpan(previous, next, parting)
  return {
    outcome,
    ...parting,
    sharedTokens: tokensBefore(next, parting),
    ...(span ? { span } : {}),
    brokeStable: outcome === "changed" && span !== undefined && claimsToBeStable(span.stability),
    roles: rolesAt(previous, next, parting),
    excerpt: excerptAround(previous, next, parting),
  }
}

function outcomeOf(previous: Assembly, next: Assembly, parting: Parting): AssemblyDifference["outcome"] {
  if (parting.what === "nothing") return "none"
  if (endsAt(previous.messages, next.messages, parting)) return "extended"
  return endsAt(next.messages, previous.messages, parting) ? "shortened" : "changed"
}

function rolesAt(previous: Assembly, next: Assembly, { message }: Parting): AssemblyDifference["roles"] {
  const [old, young] = [previous.messages[message], next.messages[message]]
  return { ...(old ? { previous: old.role } : {}), ...(young ? { next: young.role } : {}) }
}

function tokensBefore({ spans }: Assembly, { message, offset }: Parting): number {
  let tokens = 0
  let start = 0
  for (const span of spans) {
    if (span.message > message) break
    if (span.message === message && start + span.text.length > offset)
      return tokens + Math.floor((span.tokens * (offset - start)) / span.text.length)
    tokens += span.tokens
    if (span.message === message) start += span.text.length
  }
  return tokens
}
