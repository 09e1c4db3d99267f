import { isRecord } from "../../../core/json-access.ts"

/**
 * Words as a catalogue has them, by the same names. In place of a function stands its text, in which `{0}` is the first thing that varies
 * and `{1.by}` a field of the second one, or another function.
 */
type Translation<Words> = {
  readonly [Name in keyof Words]: Words[Name] extends (...parts: never) => infer Text
    ? Translation<Text> | Words[Name]
    : Translation<Words[Name]>
}

/** Makes a function that returns the words for a locale: Chinese for `zh*`, else English. */
export function byLocale<Words>({ en, zh }: { readonly en: Words; readonly zh: Translation<Words> }): (locale: string) => Words {
  const chinese = inWords(zh, en) as Words
  return (locale) => (locale.toLowerCase().startsWith("zh") ? chinese : en)
}

/** Texts of a catalogue in the form of the words that they translate. */
function inWords(texts: unknown, words: unknown): unknown {
  if (isRecord(texts) && isRecord(words))
    return Object.fromEntries(Object.entries(words).map(([name, word]) => [name, inWords(texts[name], word)]))
  return typeof words === "function" && typeof texts !== "function" ? (...parts: unknown[]) => filled(texts, parts) : texts
}

/** Sentences of a catalogue as functions of what fills their places. */
export function sentences<Texts extends object>(texts: Texts): Sentences<Texts> {
  const made = Object.entries(texts).map(([name, text]) => [name, (...parts: unknown[]) => filled(text, parts)])
  return Object.fromEntries(made) as Sentences<Texts>
}

type Sentences<Texts> = { readonly [Name in keyof Texts]: (...parts: readonly (string | number | object)[]) => string }

function filled(text: unknown, parts: unknown): unknown {
  if (Array.isArray(text)) return text.map((line) => filled(line, parts))
  const partAt = (found: unknown, name: string): unknown => Object(found)[name]
  return fillPlaces(String(text), (place) => String(place.split(".").reduce(partAt, parts)))
}

/**
 * Fills the places `{}` and `{0}` of a sentence. Beside what is filled in stands a blank where Chinese meets Latin letters or
 * digits, and none between Chinese characters.
 */
export function fillPlaces(sentence: string, partOf: (place: string) => string): string {
  return sentence.replace(/ ?\{(\d[\w.]*|)\}(?: (?!\{))?/g, (found, place: string, at: number) => {
    const part = partOf(place)
    const before = joint(sentence[at - 1], part[0], found.startsWith(" "))
    return `${before}${part}${joint(part.at(-1), sentence[at + found.length], found.endsWith(" "))}`
  })
}

function joint(left = "，", right = "，", isApart = false): string {
  const isWide = (character: string): boolean => /[\p{sc=Han}，。：；、（）“”]/u.test(character)
  const meets = /^(?:\p{sc=Han}[A-Za-z0-9]|[A-Za-z0-9]\p{sc=Han})$/u.test(left + right)
  return meets || (isApart && !(isWide(left) && isWide(right))) ? " " : ""
}
