import { PromptStrataError } from "../../../core/errors.ts"
import type { TokenCounter } from "../../../core/ports.ts"
import type { Assembly } from "../../../core/span.ts"
import type { ChildTrace, TraceStep } from "../../../trace/trace.ts"
import type { TurnContext } from "../turn-context.ts"

/** The tokens of some calls, and how many of them were estimated, because their provider told none. */
interface UsedTokens {
  tokens: number
  estimated: number
}

/** Returns a request. Throws `turn-tokens` if it would take the turn, with its child agents, over `limits.turnTokens` (T57). */
export function withinTurnTokens({ agent, progress }: TurnContext, request: Assembly): Assembly {
  const limitTokens = agent.profile.limits.turnTokens
  if (limitTokens === undefined) return request
  const { steps, children } = progress.log
  const used: UsedTokens = { tokens: 0, estimated: 0 }
  addTokens(used, { steps, children: children.map(({ trace }) => ({ trace: trace() })), counter: agent.ports.counter })
  const requestTokens = request.tokens + request.overheadTokens
  if (used.tokens + requestTokens <= limitTokens) return request
  const message = `expected the calls of the turn to use at most ${limitTokens} tokens; they have used ${used.tokens}, ${used.estimated} of them by estimate, and the next request has ${requestTokens} more.`
  throw new PromptStrataError("turn-tokens", message, {
    hint: "Raise limits.turnTokens, or look at the trace for which call used them.",
    evidence: { limitTokens, usedTokens: used.tokens, estimatedTokens: used.estimated, requestTokens },
  })
}

interface Calls {
  readonly steps: readonly TraceStep[]
  readonly children: readonly Pick<ChildTrace, "trace">[]
  readonly counter: TokenCounter
}

/** Adds what calls used. One that failed without a word and without usage used nothing. */
function addTokens(used: UsedTokens, { steps, children, counter }: Calls): void {
  for (const { usage, error, output, assembly } of steps) {
    if (usage?.inputTokens !== undefined) used.tokens += usage.inputTokens + (usage.outputTokens ?? counter.count(output))
    else if (error === undefined || output !== "") {
      const tokens = assembly.tokens + assembly.overheadTokens + counter.count(output)
      used.tokens += tokens
      used.estimated += tokens
    }
  }
  for (const { trace } of children) addTokens(used, { ...trace, counter })
}
