import { priority } from "../../core/priority.ts"
import type { Injection } from "../../core/value.ts"
import type { AskModel } from "../../services/background-job.ts"
import { type Relevance, relevanceTo, topOf } from "../ranking.ts"
import { sentencesOf, shorten } from "../shorten-by-rule.ts"
import type { ReferenceInfo } from "./reference-info.ts"
import type { CompressionCriterion, CompressionLevel } from "./reference-source.ts"

/** Says something in fewer words; throws or returns blank text where it cannot. */
export type CompressionWriter = (
  text: string,
  options: { readonly level: CompressionLevel; readonly topic: string; readonly maxCharacters: number },
) => Promise<string>

/** How a piece of reference info is compressed (R23). */
export interface CompressOptions {
  /** `weak` leaves most of it, `extreme` next to nothing. Default `medium`. */
  readonly level?: CompressionLevel
  /** Which parts stay. Default `best-match` where there is a topic, else `newest`. */
  readonly criterion?: CompressionCriterion
  /** Instead of a criterion: how much fit, newness and use count. */
  readonly weights?: readonly [match: number, recency: number, use: number]
  /** So many parts stay. Default: the level's share. */
  readonly count?: number
  /** Only these parts, from 1; the others go. Default: all. */
  readonly range?: readonly [from: number, to: number]
  /** What it should be about. */
  readonly topic?: string
  /** The parts, where they are known, such as messages. Default: the lines of `current`, or its sentences. */
  readonly units?: readonly ReferenceUnit[]
  /** What the compressed source is called. Default `current`. */
  readonly path?: string
  /** Says what is left in fewer words; what it throws is the caller's. Default: by rule, nothing is said anew. */
  readonly writer?: CompressionWriter
}

const partCharacters: Readonly<Record<CompressionLevel, number>> = { weak: 400, medium: 200, extreme: 80 }

/** Compresses a piece of reference info by choosing among its parts and shortening them; its sources say so. `extraData` stays. */
export async function compress(reference: ReferenceInfo, options: CompressOptions = {}): Promise<ReferenceInfo> {
  const { level = "medium", topic = "", weights, count, writer, path = "current" } = options
  const criterion = weights ? { weights } : (options.criterion ?? (topic === "" ? "newest" : "best-match"))
  const all = options.units ?? unitsOf(reference.current)
  const [from, to] = rangeWithin(options.range, all.length)
  const units = all.slice(from - 1, to)
  const choice = { level, criterion, topic, ...(count === undefined ? {} : { count }) }
  const chosen = chooseUnits(units, choice)
  const parts = chosen.map(({ text }) => shorten(text, partCharacters[level]))
  const lines = parts.join("\n")
  const current = options.units || lines.length <= reference.current.length ? lines : parts.join("")
  const maxCharacters = Math.max(1, chosen.length) * partCharacters[level]
  const written =
    writer && current !== "" ? await writer(chosen.map(({ text }) => text).join("\n"), { level, topic, maxCharacters }) : ""
  const source = {
    kind: "compressed",
    level,
    topic,
    criterion,
    count: chosenCount(units.length, choice),
    path,
    from,
    to,
  } as const
  return {
    ...reference,
    current: written.trim() === "" ? current : shorten(written, maxCharacters),
    source: [...reference.source, source],
  }
}

function unitsOf(text: string): readonly ReferenceUnit[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  return (lines.length > 1 ? lines : sentencesOf(text)).map((unit) => ({ text: unit }))
}

function rangeWithin(range: CompressOptions["range"], total: number): readonly [from: number, to: number] {
  const [from, to] = range ?? [1, total]
  const first = Math.min(Math.max(1, Math.floor(from) || 1), Math.max(1, total))
  return [first, Math.max(first, Math.min(Math.floor(to) || total, total))]
}

/** One message, line or sentence of what is compressed. */
export interface ReferenceUnit {
  readonly text: string
  /** How often it came up. Default 0. */
  readonly uses?: number
}

/** By what units are chosen. */
interface UnitChoice {
  readonly level: CompressionLevel
  readonly criterion: CompressionCriterion
  /** Default: the level's share of them. */
  readonly count?: number
  readonly topic: string
}

/** The share of the units that a level leaves. */
const shares: Readonly<Record<CompressionLevel, number>> = { weak: 0.6, medium: 0.3, extreme: 0.1 }

/** How many units a choice leaves; at least one where there is one. */
function chosenCount(total: number, { level, count }: Pick<UnitChoice, "level" | "count">): number {
  return Math.min(total, Math.max(1, Math.floor(count ?? Math.ceil(total * shares[level]))))
}

/** The units that a compression leaves, in their order. */
function chooseUnits(units: readonly ReferenceUnit[], choice: UnitChoice): readonly ReferenceUnit[] {
  const relevance = relevanceTo(choice.topic)
  const mostUsed = Math.max(1, ...units.map(({ uses = 0 }) => uses))
  const places = units.map((unit, at) => ({ unit, at, newness: units.length > 1 ? at / (units.length - 1) : 1 }))
  const best = topOf(places, chosenCount(units.length, choice), ({ unit, newness }) =>
    score(choice.criterion, { match: () => relevance(unit.text), newness, use: (unit.uses ?? 0) / mostUsed }),
  )
  return best.sort((a, b) => a.at - b.at).map(({ unit }) => unit)
}

interface Signals {
  readonly match: () => ReturnType<Relevance>
  readonly newness: number
  readonly use: number
}

function score(criterion: CompressionCriterion, { match, newness, use }: Signals): number {
  switch (criterion) {
    case "best-match":
      return match()
    case "worst-match":
      return -match()
    case "newest":
      return newness
    case "oldest":
      return -newness
    case "most-used":
      return use
    case "least-used":
      return -use
    default: {
      const [ofMatch, ofNewness, ofUse] = criterion.weights
      return ofMatch * match() + ofNewness * newness + ofUse * use
    }
  }
}

/** A {@link CompressionWriter} that asks a model with the prompt `compress`; what asking throws is thrown. */
export function modelCompressionWriter(ask: AskModel, { signal }: { readonly signal: AbortSignal }): CompressionWriter {
  return async (text, { topic, maxCharacters }) => {
    const data = [
      injection("message", { text, trust: "memory" }),
      injection("limit", { text: String(maxCharacters), trust: "author" }),
      injection("topic", { text: topic, trust: "user" }),
    ]
    return (await ask("compress", data, { signal })).text
  }
}

function injection(key: string, content: { readonly text: string; readonly trust: Injection["trust"] }): Injection {
  return { key, content, trust: content.trust, priority: priority.default, role: "system", scope: "turn", enabled: true }
}
