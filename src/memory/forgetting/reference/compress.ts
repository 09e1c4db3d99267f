import { checkOptions, checkType } from "../../../core/check-options.ts"
import type { Trust } from "../../../core/value.ts"
import type { AskModel } from "../../services/background/background-job.ts"
import { promptData } from "../../services/background/dialogue.ts"
import { sentencesOf, shorten } from "../../services/shorten-by-rule.ts"
import { relevanceTo, topOf } from "../ranking.ts"
import { checkReferenceInfo, type ReferenceInfo } from "./reference-info.ts"
import type { CompressionCriterion, CompressionLevel } from "./reference-source.ts"

/** Rewrites a text in fewer words. It throws or returns blank text when it cannot. */
export type CompressionWriter = (
  text: string,
  options: { readonly level: CompressionLevel; readonly topic: string; readonly maxCharacters: number },
) => Promise<string>

/** Makes a {@link CompressionWriter} that asks a model with the prompt `compress`. Errors of asking are thrown. */
export function modelCompressionWriter(ask: AskModel, options: { readonly signal: AbortSignal }): CompressionWriter {
  checkType("the ask of modelCompressionWriter", ask, "function")
  checkOptions("modelCompressionWriter", options, "signal")
  const injection = (key: string, text: string, trust: Trust) => promptData(key, { text, trust }, trust)
  return async (text, { topic, maxCharacters }) => {
    const limit = injection("limit", String(maxCharacters), "author")
    const data = [injection("message", text, "memory"), limit, injection("topic", topic, "user")]
    return (await ask("compress", data, { signal: options.signal })).text
  }
}

/** One message, line or sentence of the information. */
export interface ReferenceUnit {
  readonly text: string
  /** How often it came up. Default 0. */
  readonly uses?: number
}

/** How a piece of reference info is compressed (R23). */
export interface CompressOptions {
  /** `weak` leaves most of it, `extreme` next to nothing. Default `medium`. */
  readonly level?: CompressionLevel
  /** The criterion by which parts stay. Default `best-match` with a topic, else `newest`. */
  readonly criterion?: CompressionCriterion | undefined
  /** The weights of fit, newness and use. They replace the criterion. */
  readonly weights?: readonly [match: number, recency: number, use: number] | undefined
  /** The number of parts that stay. Default: the level's share. */
  readonly count?: number | undefined
  /** The first and last part to keep, from 1; parts outside are dropped first. Default: all. */
  readonly range?: readonly [from: number, to: number] | undefined
  /** The subject that the parts should fit. */
  readonly topic?: string | undefined
  /** The parts, if they are known, such as messages. Default: the lines of `current`, or its sentences. */
  readonly units?: readonly ReferenceUnit[]
  /** The name of the compressed source. Default `current`. */
  readonly path?: string
  /** Rewrites the parts that stay in fewer words. Its errors are thrown. Default: the parts are only shortened. */
  readonly writer?: CompressionWriter
}

/** The most characters that a level leaves of a part. */
const partCharacters: Readonly<Record<CompressionLevel, number>> = { weak: 400, medium: 200, extreme: 80 }

/** The share of the parts that a level leaves. */
const shares: Readonly<Record<CompressionLevel, number>> = { weak: 0.6, medium: 0.3, extreme: 0.1 }

/** Compresses a piece of reference info: chooses some of its parts and shortens them. It adds a source that says so. `extraData` stays. */
export async function compress(reference: ReferenceInfo, options: CompressOptions = {}): Promise<ReferenceInfo> {
  checkOptions("compress", options, "level criterion weights count range topic units path writer")
  checkReferenceInfo("compress", reference)
  const { level = "medium", topic = "", weights, writer, path = "current" } = options
  const criterion = weights ? { weights } : (options.criterion ?? (topic === "" ? "newest" : "best-match"))
  const all = options.units ?? unitsOf(reference.current)
  const [from, to] = rangeWithin(options.range, all.length)
  const units = all.slice(from - 1, to)
  const wanted = Math.max(1, Math.floor(options.count ?? Math.ceil(units.length * shares[level])))
  const count = Math.min(units.length, wanted)
  const chosen = chooseUnits(units, { criterion, topic, count })
  const parts = chosen.map(({ text }) => shorten(text, partCharacters[level]))
  const lines = parts.join("\n")
  const current = options.units || lines.length <= reference.current.length ? lines : parts.join("")
  const maxCharacters = chosen.length * partCharacters[level]
  const written =
    writer && current !== "" ? await writer(chosen.map(({ text }) => text).join("\n"), { level, topic, maxCharacters }) : ""
  return {
    ...reference,
    current: written.trim() === "" ? current : shorten(written, maxCharacters),
    source: [...reference.source, { kind: "compressed", level, topic, criterion, count, path, from, to }],
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

/** The `count` best parts by a criterion, in their order. */
function chooseUnits(
  units: readonly ReferenceUnit[],
  { criterion, topic, count }: { readonly criterion: CompressionCriterion; readonly topic: string; readonly count: number },
): readonly ReferenceUnit[] {
  const relevance = relevanceTo({ text: topic })
  const mostUsed = Math.max(1, ...units.map(({ uses = 0 }) => uses))
  const places = units.map((unit, at) => ({ unit, at, newness: units.length > 1 ? at / (units.length - 1) : 1 }))
  const best = topOf(places, count, ({ unit, newness }) =>
    score(criterion, { match: () => relevance(unit), newness, use: (unit.uses ?? 0) / mostUsed }),
  )
  return best.sort((a, b) => a.at - b.at).map(({ unit }) => unit)
}

function score(
  criterion: CompressionCriterion,
  { match, newness, use }: { readonly match: () => number; readonly newness: number; readonly use: number },
): number {
  if (criterion === "best-match") return match()
  if (criterion === "worst-match") return -match()
  if (criterion === "newest") return newness
  if (criterion === "oldest") return -newness
  if (criterion === "most-used") return use
  if (criterion === "least-used") return -use
  const [ofMatch, ofNewness, ofUse] = criterion.weights
  return ofMatch * match() + ofNewness * newness + ofUse * use
}
