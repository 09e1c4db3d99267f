import type { ServiceKey, Speaker } from "../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { Fingerprint } from "../../../core/fingerprint.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { hostTimers } from "../../../core/ports.ts"
import { whatHappened, within } from "../../../core/timers.ts"
import { composed } from "../../../prompt/encode/fold.ts"
import { cosine, vectorNorm } from "../recall/scores/vector-score.ts"
import type { StoredMemory } from "../store/records.ts"
import { embedTexts, type MemoryServiceOptions } from "./memory-service.ts"

const scripts = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
const spaceless = scripts.map((script) => `\\p{Script=${script}}`).join("")
const marks = lazyPattern(String.raw`[\p{P}\p{Z}\p{C}]+`, "gu")
const besideSpaceless = lazyPattern(`(?<=[${spaceless}?]) | (?=[${spaceless}?])`, "gu")
const digit = /\d/

/**
 * Normalises a text for comparing duplicates: NFKC, lower case, and one space for each run of white space, punctuation and invisible
 * characters. Beside characters of scripts without spaces there is none. Characters that change the meaning stay: a mark inside a
 * number (`1.5`), a sign before one, a question mark, symbols.
 */
export function normaliseMemoryText(text: string): string {
  const folded = composed(text).normalize("NFKC").toLowerCase().normalize("NFKC")
  return folded.replace(marks(), keptOf).replace(besideSpaceless(), "").trim()
}

function keptOf(run: string, at: number, text: string): string {
  const before = text.charAt(at - 1)
  const after = text.charAt(at + run.length)
  if (run.length === 1 && ".,:/-".includes(run) && digit.test(before) && digit.test(after)) return run
  if (run.includes("?")) return "?"
  return run.endsWith("-") && digit.test(after) && (run.length > 1 || before === "") ? " -" : " "
}

/** A hash of the speaker and the normalised text. Two memories that say the same have the same one. */
export function memoryHash({ speaker, text }: { readonly speaker: Speaker; readonly text: string }): string {
  const normal = normaliseMemoryText(text)
  return `${new Fingerprint().add(JSON.stringify([speaker.id, normal])).digest()}-${normal.length}`
}

/** The number of newest memories that a new one is compared with. */
const compared = 200
const timeoutMs = 10_000

/**
 * Finds memories of the same speaker and audience whose embeddings are nearly the same as a new memory's. Of two such memories, the one
 * that was said later holds: returns the new one's vector, and the ids of those it replaces or of a newer one. Nothing is found without an embedding model and a `duplicateSimilarity`, or if the embedding fails.
 */
export async function similarMemory(
  { records, embed, duplicateSimilarity, timers = hostTimers, onWarning }: MemoryServiceOptions,
  memory: StoredMemory,
  key: ServiceKey,
) {
  if (embed === undefined || duplicateSimilarity === undefined) return { supersedes: [] }
  if ((await records.get(memory.id, key)) !== undefined) return { supersedes: [] }
  try {
    const embedded = await within({ timeoutMs, timers }, (signal) => embedTexts(embed, [memory.text], { signal }))
    if (embedded.status !== "done") throw new PromptStrataError("model", `embedding ${whatHappened(embedded, timeoutMs)}`)
    const [vector] = embedded.value
    if (vector === undefined) return { supersedes: [] }
    const recent = await records.recent(key, { limit: compared, kinds: [memory.kind] })
    const { speaker, user, audience } = memory
    const comparable = recent.filter((row) => row.speaker.id === speaker.id && row.user === user && row.audience === audience)
    const others = new Map(comparable.map((other) => [other.id, other]))
    const vectors = await records.vectors([...others.keys()], embed.id, key)
    const norm = vectorNorm(vector)
    const isNear = (values: Float32Array): boolean =>
      values.length === vector.length && cosine(vector, values, norm) >= duplicateSimilarity
    const similar = vectors.filter(({ values }) => isNear(values)).map(({ memoryId }) => memoryId)
    const newer = similar.find((id) => (others.get(id)?.atMs ?? 0) > memory.atMs)
    return { vector, supersedes: similar, duplicateOf: newer }
  } catch (error) {
    onWarning?.(`Duplicates were looked for by words alone: ${messageOf(error)}`, key)
    return { supersedes: [] }
  }
}
