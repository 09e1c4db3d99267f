import { type ServiceKey, toldApart } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { graphemeBoundaryBefore } from "../../../core/graphemes.ts"
import { NewestMap } from "../../../core/memo.ts"
import type { Clock } from "../../../core/ports.ts"
import type { Injection, SlotEntry } from "../../../core/value.ts"
import { shorten } from "../shorten-by-rule.ts"
import type { MemoryRecords, StoredMemory } from "../store/records.ts"
import { scopeOf } from "../store/rows/row-tables.ts"
import type { AskModel } from "./background-job.ts"
import { backgroundInjection, daysIn } from "./dialogue.ts"
import { numberOf } from "./memory-keys.ts"
import { readJson } from "./read-json.ts"

/** A conclusion drawn from several memories (T31). */
export interface Insight {
  readonly text: string
  /** The ids of the memories it rests on; absent: all that were given. */
  readonly sources?: readonly string[] | undefined
}

/**
 * Draws insights from memories. Both methods may be called concurrently for different keys. The memory job calls `due` before each `reflect`; if one throws, it tries the step again.
 */
export interface ReflectionService {
  /**
   * True if it is time to reflect: enough memories since the last time, by count or importance, or a schedule (T36). Memories in `adding`
   * are about to be kept, and count, too: with a service that leaves them out it is time a turn later.
   */
  due(key: ServiceKey, options?: { readonly adding?: readonly StoredMemory[] }): Promise<boolean>
  /**
   * The memories since the last reflection, the newest of `adding` among them, if it is time to reflect; undefined if not. With it, the
   * call that judges a batch of turns asks for insights as well, and the `ask` that `reflect` is given returns them. Absent in a service
   * that asks in words of its own.
   */
  since?(key: ServiceKey, options?: { readonly adding?: readonly StoredMemory[] }): Promise<readonly StoredMemory[] | undefined>
  /** The next moment after `afterMs` at which `due` may become true without a turn; absent if it never does. */
  readonly nextRunMs?: ReflectionTriggers["nextRunMs"] | undefined
  /**
   * Draws insights from the memories, of which there is at least one. An insight whose `sources` are none of them is not stored. No
   * insights are a good answer. Throws `decision` if the model's answer cannot be read.
   */
  reflect(
    memories: readonly StoredMemory[],
    key: ServiceKey,
    options: {
      readonly signal: AbortSignal
      /** Must be used instead of the service's own model if given, so that the call is counted. */
      readonly ask?: AskModel
    },
  ): Promise<readonly Insight[]>
}

/** Triggers of reflection (T36). The first that applies decides. */
export interface ReflectionTriggers {
  /** The number of memories since the last reflection. Default 20; 0 turns this trigger off. */
  readonly every?: number
  /** The sum of importance of the memories since the last reflection, counted over at most 200. Default: off. */
  readonly importanceSum?: number | undefined
  /** Returns the next scheduled moment after `afterMs`; default: off. For example `(afterMs) => new Cron("0 4 * * *").nextRun(new Date(afterMs))?.getTime()`. */
  readonly nextRunMs?: ((afterMs: number) => number | undefined | Promise<number | undefined>) | undefined
}

/** Options of {@link createReflectionService}. */
export interface ReflectionServiceOptions extends ReflectionTriggers {
  readonly ask: AskModel
  readonly records: Pick<MemoryRecords, "recent">
  readonly clock: Clock
  /** The time zone of the days on which things were said. Default UTC. */
  readonly timeZone?: string | undefined
}

const defaultEvery = 20
/** The most UTF-16 units of a memory that a reflection reads. */
const maxMemoryCharacters = 200
/** The most memories over which importance is added up. */
const maxSummed = 200
/** Of more users and groups the earliest are left out: they may be reflected on sooner. */
const maxReflected = 10_000

/** The work of a reflection service. */
export type ReflectionWork = Required<Omit<ReflectionService, "nextRunMs">>

/** Does the work of `createReflectionService`, which loads this file when there is some. */
export function reflectingOn(options: ReflectionServiceOptions): ReflectionWork {
  const { records, clock } = options
  /** The time of the last reflection of each scope in this process, also of those without an insight; the earliest first. */
  const reflectedMs = new NewestMap<string, number>(maxReflected)
  const since: ReflectionWork["since"] = async (key, { adding = [] } = {}) => {
    const { every = defaultEvery, importanceSum, nextRunMs } = options
    if (every === 0 && importanceSum === undefined && nextRunMs === undefined) return undefined
    const [insight] = await records.recent(key, { limit: 1, kinds: ["insight"] })
    const never = Number.NEGATIVE_INFINITY
    const lastMs = Math.max(insight?.atMs ?? never, reflectedMs.get(scopeOf(key)) ?? never)
    return dueSince(options, key, { lastMs, adding })
  }
  return {
    since,
    due: async (key, adding) => (await since(key, adding)) !== undefined,
    async reflect(memories, key, { signal, ask = options.ask }) {
      if (memories.length === 0) return []
      const answer = await ask("reflection", [recentInjection(memories, options.timeZone)], { signal })
      const written = readInsights(answer.text)
      if (written === undefined) {
        const message = `expected a list of insights as JSON, found ${answer.text.length} characters without one.`
        throw new PromptStrataError("decision", message)
      }
      reflectedMs.set(scopeOf(key), clock.nowMs())
      return written.map(({ text, numbers }): Insight => ({ text, sources: sourcesOf(numbers, memories) }))
    },
  }
}

async function dueSince(
  options: ReflectionServiceOptions,
  key: ServiceKey,
  { lastMs, adding }: { readonly lastMs: number; readonly adding: readonly StoredMemory[] },
): Promise<readonly StoredMemory[] | undefined> {
  const { records, clock, every = defaultEvery, importanceSum, nextRunMs } = options
  // Without an earlier reflection, a schedule counts from the oldest memory.
  const limit = importanceSum === undefined && nextRunMs === undefined ? Math.max(1, every) : Math.max(every, maxSummed)
  const recent = await records.recent(key, { limit, kinds: ["dialogue", "note"] })
  const since = [...recent, ...adding].slice(-limit).filter(({ atMs }) => atMs > lastMs)
  const [first] = since
  if (first === undefined) return undefined
  if (every > 0 && since.length >= every) return since
  if (importanceSum !== undefined && since.reduce((sum, { importance = 0 }) => sum + importance, 0) >= importanceSum) return since
  const dueMs = await nextRunMs?.(Number.isFinite(lastMs) ? lastMs : first.atMs)
  return dueMs !== undefined && dueMs <= clock.nowMs() ? since : undefined
}

/** Shows who said what and when, under short numbers from `first`, because a model would not copy long ids exactly. */
export function recentInjection(memories: readonly StoredMemory[], timeZone: string | undefined, first = 1): Injection {
  const dayOf = daysIn(timeZone)
  const said = memories.map(({ text, speaker, atMs, agent }) => ({
    text,
    atMs,
    speaker,
    role: speaker.id === agent ? "assistant" : "user",
  }))
  const entries = toldApart(said).map(({ text, speaker, atMs }, at): SlotEntry => {
    const said = {
      text: { text: shorten(text, maxMemoryCharacters), trust: "memory" },
      speaker: { text: speaker.name, trust: "memory" },
    } as const
    return { id: String(first + at), ...said, at: { text: dayOf(atMs), trust: "author" } }
  })
  return backgroundInjection("recent", entries)
}

function sourcesOf(numbers: readonly number[], memories: readonly StoredMemory[]): readonly string[] {
  const named = [...new Set(numbers)].flatMap((number) => memories[number - 1]?.id ?? [])
  return named.length > 0 ? named : memories.map(({ id }) => id)
}

/** An insight in a model's answer. `numbers` name the memories it rests on, in the order in which they were shown, from 1. */
interface WrittenInsight {
  readonly text: string
  readonly numbers: readonly number[]
}

const maxInsights = 5
const maxCharacters = 1_000

/** Reads the insights in a model's answer; undefined if it cannot be read. No insights are a good answer. */
export function readInsights(output: string): readonly WrittenInsight[] | undefined {
  const value = readJson(output)
  const list = Array.isArray(value) ? value : listIn(value)
  return list?.flatMap(insightOf).slice(0, maxInsights)
}

/** The list in `{"insights": […]}`, one insight alone, or an empty object. */
function listIn(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const list = Object.values(value).find((member) => Array.isArray(member) && member.some((item) => typeof item === "object"))
  if (Array.isArray(list)) return list
  return Object.keys(value).length === 0 ? [] : [value]
}

function insightOf(item: unknown): WrittenInsight[] {
  if (typeof item === "string") return written(item, [])
  if (typeof item !== "object" || item === null) return []
  const members: readonly unknown[] = Object.values(item)
  const text = members.find((member) => typeof member === "string" && member.trim() !== "")
  const linked = members.find(Array.isArray) ?? []
  const numbers = linked.flatMap((id) => (typeof id === "number" ? id : (numberOf(id) ?? [])))
  return typeof text === "string" ? written(text, numbers) : []
}

function written(text: string, numbers: readonly number[]): WrittenInsight[] {
  const trimmed = text.trim()
  return trimmed === "" ? [] : [{ text: trimmed.slice(0, graphemeBoundaryBefore(trimmed, maxCharacters)), numbers }]
}
