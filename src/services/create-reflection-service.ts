import { PromptStrataError } from "../core/errors.ts"
import type { ServiceKey } from "../core/keys.ts"
import type { Clock } from "../core/ports.ts"
import type { Entry, Injection } from "../core/value.ts"
import { backgroundInjection } from "./background/background-injection.ts"
import { readInsights } from "./background/read-insights.ts"
import type { AskModel } from "./background-job.ts"
import { rowId } from "./in-memory-store/row-id.ts"
import type { Insight, ReflectionService } from "./reflection.ts"
import type { MemoryRecords } from "./store.ts"
import type { StoredMemory } from "./stored-memory.ts"

/** When to look back (T36). Whatever comes first; none of them: never. */
export interface ReflectionTriggers {
  /** After so many memories since the last time. Default 20; 0 for never. */
  readonly every?: number
  /** After memories since the last time whose importance adds up to so much. Default: never. */
  readonly importanceSum?: number
  /** The first moment after one at which it is due again, such as `(afterMs) => new Cron("0 4 * * *").nextRun(new Date(afterMs))?.getTime()`. */
  readonly nextRunMs?: (afterMs: number) => number | undefined | Promise<number | undefined>
}

/** What {@link createReflectionService} is made from. */
export interface ReflectionServiceOptions extends ReflectionTriggers {
  readonly ask: AskModel
  readonly records: Pick<MemoryRecords, "recent">
  readonly clock: Clock
}

const defaultEvery = 20
/** How far back importance is added up. */
const maxSummed = 200

/**
 * Looks back with a model and the prompt `reflection`. Every insight is linked to memories that were shown: those that the model
 * named, or all of them where it named none; none is invented. An answer that cannot be read throws `decision`.
 */
export function createReflectionService(options: ReflectionServiceOptions): ReflectionService {
  const { records, clock } = options
  /** When each scope was last looked back on here, also where nothing came of it. */
  const reflectedMs = new Map<string, number>()
  return {
    async due(key) {
      const [insight] = await records.recent(key, { limit: 1, kinds: ["insight"] })
      const lastMs = Math.max(
        insight?.atMs ?? Number.NEGATIVE_INFINITY,
        reflectedMs.get(scopeOf(key)) ?? Number.NEGATIVE_INFINITY,
      )
      return isDue(options, await memoriesSince(options, key, lastMs), lastMs)
    },
    async reflect(memories, key, { signal, ask = options.ask }) {
      if (memories.length === 0) return []
      const answer = await ask("reflection", [recentInjection(memories)], { signal })
      const written = readInsights(answer.text)
      if (written === undefined) throw unreadable(answer.text)
      reflectedMs.set(scopeOf(key), clock.nowMs())
      return written.map(({ text, numbers }): Insight => ({ text, sources: sourcesOf(numbers, memories) }))
    },
  }
}

async function memoriesSince(
  { records, every = defaultEvery, importanceSum, nextRunMs }: ReflectionServiceOptions,
  key: ServiceKey,
  lastMs: number,
): Promise<readonly StoredMemory[]> {
  // A schedule counts from the oldest memory where there was no reflection yet.
  const limit = importanceSum === undefined && nextRunMs === undefined ? Math.max(1, every) : Math.max(every, maxSummed)
  const recent = await records.recent(key, { limit, kinds: ["dialogue", "note"] })
  return recent.filter(({ atMs }) => atMs > lastMs)
}

async function isDue(
  { every = defaultEvery, importanceSum, nextRunMs, clock }: ReflectionServiceOptions,
  since: readonly StoredMemory[],
  lastMs: number,
): Promise<boolean> {
  const [first] = since
  if (first === undefined) return false
  if (every > 0 && since.length >= every) return true
  if (importanceSum !== undefined && since.reduce((sum, { importance = 0 }) => sum + importance, 0) >= importanceSum) return true
  const dueMs = await nextRunMs?.(Number.isFinite(lastMs) ? lastMs : first.atMs)
  return dueMs !== undefined && dueMs <= clock.nowMs()
}

/** Memories stand under short numbers: ids of stores are long, and a model would not copy them rightly. */
function recentInjection(memories: readonly StoredMemory[]): Injection {
  return backgroundInjection(
    "recent",
    memories.map(({ text }, at): Entry => ({ id: String(at + 1), text: { text, trust: "memory" } })),
  )
}

function sourcesOf(numbers: readonly number[], memories: readonly StoredMemory[]): readonly string[] {
  const named = [...new Set(numbers)].flatMap((number) => memories[number - 1]?.id ?? [])
  return named.length > 0 ? named : memories.map(({ id }) => id)
}

function unreadable(output: string): PromptStrataError {
  return new PromptStrataError("decision", `expected a list of insights as JSON, found ${output.length} characters without one.`)
}

function scopeOf({ agent, user, conversation, audience }: ServiceKey): string {
  return audience === "private" ? rowId(agent, user) : rowId(agent, "", conversation)
}
