import type { RecallSpeaker } from "./recall-document.ts"
import { normaliseText } from "./text/normalise-text.ts"
import { stopWords } from "./text/stop-words.ts"
import { textRuns } from "./text/text-runs.ts"
import type { FoundTime } from "./time/find-times.ts"

/** The ids that go by a name, and how many documents keep each of them here. */
export class SpeakerNames {
  readonly #idsByName = new Map<string, Map<string, number>>()

  /** Counts a speaker's document in, or out. */
  count(speaker: RecallSpeaker, by: 1 | -1): void {
    const name = normaliseText(speaker.name).trim()
    const ids = this.#idsByName.get(name) ?? new Map<string, number>()
    const left = (ids.get(speaker.id) ?? 0) + by
    if (left > 0) ids.set(speaker.id, left)
    else ids.delete(speaker.id)
    if (ids.size > 0) this.#idsByName.set(name, ids)
    else this.#idsByName.delete(name)
  }

  /** The ids by each word that alone may name them: the whole name, and the parts of a longer one. */
  named(further: readonly RecallSpeaker[]): ReadonlyMap<string, ReadonlySet<string>> {
    const byWord = new Map<string, Set<string>>()
    const put = (name: string, ids: readonly string[]) => {
      for (const word of nameWords(name)) byWord.set(word, new Set([...(byWord.get(word) ?? []), ...ids]))
    }
    for (const [name, ids] of this.#idsByName) put(name, [...ids.keys()])
    for (const { id, name } of further) put(normaliseText(name).trim(), [id])
    return byWord
  }
}

function nameWords(name: string): string[] {
  const words = textRuns(name).map(({ text }) => text)
  if (words.length === 1) return words
  return words.filter((word) => word.length > 1 && !stopWords.has(word))
}

/** Names in a question: whom they mean, and which words they are. */
export interface NamedSpeakers {
  readonly ids: ReadonlySet<string>
  readonly words: ReadonlySet<string>
}

/**
 * The speakers that a text names, given as it was written and normalised. A word inside an expression of time (`in May`) is no
 * name, and a word of grammar (`will`) is one only with a capital.
 */
export function namedSpeakers(
  written: string,
  text: string,
  names: ReadonlyMap<string, ReadonlySet<string>>,
  times: readonly FoundTime[],
): NamedSpeakers {
  const ids = new Set<string>()
  const words = new Set<string>()
  const capitals = new Set(textRuns(written).flatMap(({ text }) => (/^\p{Lu}/u.test(text) ? [text.toLowerCase()] : [])))
  const outside = times.reduce((left, { start, end }) => left.slice(0, start) + " ".repeat(end - start) + left.slice(end), text)
  for (const run of textRuns(outside)) {
    for (const word of run.spaceless ? namesInside(run.text, names) : [run.text.replace(/'s?$/, "")]) {
      const found = names.get(word)
      if (found === undefined || (stopWords.has(word) && !capitals.has(word))) continue
      words.add(word)
      for (const id of found) ids.add(id)
    }
  }
  return { ids, words }
}

function namesInside(run: string, names: ReadonlyMap<string, unknown>): string[] {
  return [...names.keys()].filter((name) => run.includes(name))
}
