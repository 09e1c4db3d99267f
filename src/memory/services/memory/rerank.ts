import type { ServiceKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { hostTimers } from "../../../core/ports.ts"
import { orAborted, whatHappened, within } from "../../../core/timers.ts"
import type { Memory, MemoryServiceOptions, RerankCandidate } from "./memory-service.ts"

/** The number of memories that are scored. */
export const maxReranked = 50
const defaultMs = 1_500

/** Orders the first memories by a {@link Rerank}. Those behind them follow as they are. Rejects only when the signal aborts. */
export async function reranked(
  { rerank, rerankTimeoutMs: timeoutMs = defaultMs, timers = hostTimers, onWarning }: MemoryServiceOptions,
  found: readonly Memory[],
  asked: {
    readonly query: string
    readonly key: ServiceKey
    readonly signal: AbortSignal
    readonly warn?: ((message: string) => void) | undefined
  },
): Promise<readonly Memory[]> {
  const { query, key, signal, warn } = asked
  if (rerank === undefined || found.length < 2) return found
  const first = found.slice(0, maxReranked)
  const candidates = first.map(({ id, text, speaker, atMs }): RerankCandidate => {
    return { id, text, ...(speaker === undefined ? {} : { speaker }), ...(atMs === undefined ? {} : { atMs }) }
  })
  const work = within({ timeoutMs, signal, timers }, async (signal) =>
    soundScores(await rerank(query, candidates, { signal }), first.length),
  )
  const outcome = await orAborted(work, signal)
  if (outcome.status !== "done") {
    const message = `Memories stand in the order of recall: rerank ${whatHappened(outcome, timeoutMs)}.`
    onWarning?.(message, key)
    warn?.(message)
    return found
  }
  const scored = first.map((memory, at) => ({ ...memory, reranked: outcome.value[at] ?? 0 }))
  return [...scored.sort((a, b) => b.reranked - a.reranked), ...found.slice(maxReranked)]
}

function soundScores(scores: readonly number[], count: number): readonly number[] {
  if (Array.isArray(scores) && scores.length === count && scores.every(Number.isFinite)) return scores
  const found = Array.isArray(scores) ? `${scores.length} values` : typeof scores
  throw new PromptStrataError("model", `expected ${count} finite numbers, found ${found}`)
}
