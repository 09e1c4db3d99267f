import words from "./words.json" with { type: "json" }

/** The subject of a text: its meanings and its significant words. */
export interface Subject {
  readonly meanings: ReadonlySet<string>
  /** Lower-case words of three letters or more, and pairs of neighbouring Chinese characters. */
  readonly words: ReadonlySet<string>
}

/** Reads a text, or a name such as `add_schedule` or `queryWeather`. */
export function subjectOf(text: string): Subject {
  const plain = text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
  return {
    meanings: new Set(byWord.filter(([word]) => indexOfWord(plain, word) >= 0).map(([, meaning]) => meaning)),
    words: new Set([...letterWords(plain), ...characterPairs(plain)]),
  }
}

/** Scores what two texts have in common: three for each meaning, two for each word. */
export function sharedScore(a: Subject, b: Subject): number {
  return 3 * sharedCount(a.meanings, b.meanings) + 2 * sharedCount(a.words, b.words)
}

function sharedCount(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((word) => b.has(word)).length
}

/** The index of a word in a text, or -1. A word of Latin letters must be a whole word. */
export function indexOfWord(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const alone = !isLetter(text[at - 1]) && !isLetter(text[at + word.length])
    if (alone || !isLetter(word[0])) return at
  }
  return -1
}

/** True for a Chinese character. */
export function isHan(character: string | undefined): boolean {
  return character !== undefined && /^\p{Script=Han}/u.test(character)
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /^[a-z]/i.test(character)
}

function letterWords(text: string): readonly string[] {
  return (text.match(/[a-z]{3,}/g) ?? []).filter((word) => !fillers.has(word))
}

function characterPairs(text: string): readonly string[] {
  const runs = text.match(/\p{Script=Han}{2,}/gu) ?? []
  return runs.flatMap((run) => {
    const characters = [...run]
    const pairs = characters.slice(1).map((next, at) => `${characters[at]}${next}`)
    return pairs.filter((pair) => [...pair].every((character) => !particles.has(character)))
  })
}

/** Words of both languages by meaning. A text with any word of a group has the group's meaning. */
export const meanings: Readonly<Record<string, readonly string[]>> = words.meanings

const byWord: readonly (readonly [word: string, meaning: string])[] = Object.entries(meanings).flatMap(([meaning, words]) =>
  words.map((word) => [word, meaning] as const),
)

/** Words that say nothing about the subject. */
const fillers: ReadonlySet<string> = new Set(words.fillers.split(" "))

/** Chinese function words. A pair of characters with one of them is not taken as a word. */
const particles: ReadonlySet<string> = new Set(words.particles)
