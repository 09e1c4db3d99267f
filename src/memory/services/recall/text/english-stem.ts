/** Returns the word without a suffix; undefined if the rule does not apply. */
type Rule = (word: string) => string | undefined

const vowel = /[aeiouy]/
const shortEnding = /^(?:[^aeiouy]*[aeiouy][^aeiouywx]|[aeiouy][^aeiouy])$/

/** Porter's measure: the number of times that consonants follow vowels. Suffixes are removed only from stems that are long enough by it. */
function measure(stem: string): number {
  let count = 0
  let afterVowel = false
  for (let i = 0; i < stem.length; i++) {
    const isVowel = "aeiou".includes(stem.charAt(i)) || (stem.charAt(i) === "y" && i > 0 && !"aeiou".includes(stem.charAt(i - 1)))
    if (afterVowel && !isVowel) count++
    afterVowel = isVowel
  }
  return count
}

/** A rule of suffixes, each with its replacement if it has one. The first suffix that fits decides; the stem must have at least this measure. */
function replacing(suffixes: string, minMeasure: number): Rule {
  const pairs = suffixes.split(/,\s+/).map((pair) => pair.split(" "))
  return (word) => {
    const [suffix, replacement = ""] = pairs.find(([suffix = ""]) => word.endsWith(suffix)) ?? []
    if (suffix === undefined) return undefined
    const stem = word.slice(0, -suffix.length)
    return measure(stem) >= minMeasure ? stem + replacement : undefined
  }
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2)
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}i` : word.slice(0, -1)
  if (/(?:ch|sh|x|z)es$/.test(word)) return word.slice(0, -2)
  return /[^su]s$/.test(word) && vowel.test(word.slice(0, -2)) ? word.slice(0, -1) : word
}

/** `running` → `run`, `hoped` → `hope`, `agreed` → `agree`. */
function withoutTense(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const ending = word.endsWith("ing") ? 3 : word.endsWith("ed") ? 2 : 0
  const stem = word.slice(0, word.length - ending)
  if (ending === 0 || stem.length < 2 || !vowel.test(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (/([bdfgmnprt])\1$/.test(stem)) return stem.slice(0, -1)
  return measure(stem) === 1 && shortEnding.test(stem) ? `${stem}e` : stem
}

const toPlainNoun = replacing(
  `ational ate, ization ize, fulness ful, iveness ive, ousness ous, tional tion, biliti ble, ation ate, aliti al, iviti ive,
  ousli ous, entli ent, lessli less, fulli ful, alli al, bli ble, izer ize, ator ate, alism al, li`,
  1,
)
const toRoot = replacing("icate ic, ative, alize al, iciti ic, ical ic, ness, ful", 1)
const withoutEnding = replacing(
  "ement, ance, ence, able, ible, ment, sion s, tion t, ant, ent, ism, ate, iti, ous, ive, ize, al, er, ic",
  2,
)

function withoutFinalE(word: string): string {
  if (!word.endsWith("e")) return word
  const stem = word.slice(0, -1)
  const length = measure(stem)
  return length > 1 || (length === 1 && !shortEnding.test(stem)) ? stem : word
}

/**
 * The stem of an English word in lower-case ASCII, by Porter's method. Words of one family mostly share it. Any other word is
 * returned unchanged.
 */
export function englishStem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word
  const plain = withoutTense(withoutPlural(word))
  const noun = plain.endsWith("y") && vowel.test(plain.slice(0, -1)) ? `${plain.slice(0, -1)}i` : plain
  const short = toPlainNoun(noun) ?? noun
  const root = toRoot(short) ?? short
  return withoutFinalE(withoutEnding(root) ?? root)
}
