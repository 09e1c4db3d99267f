import { lazyPattern } from "../core/lazy-pattern.ts"

const structure = new Map([
  ["｛", "{"],
  ["｝", "}"],
  ["［", "["],
  ["］", "]"],
  ["：", ":"],
  ["，", ","],
])

/** Quotes that models write around names and strings, each with those that may end what it begins. */
const families = new Map(
  ['"', "'", "＂", "＇", "“”„", "‘’‚"].flatMap((family) => Array.from(family, (quote): [string, string] => [quote, family])),
)

const quotesAndStructure = new Set(
  [..."{}[]:,", ...structure.keys(), ...families.keys()].map((character) => character.charCodeAt(0)),
)

/** Words for values that are neither text nor number, as JSON and Python write them. */
const literals = new Map([
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
  ["none", "null"],
  ["undefined", "null"],
])

const nameStart = lazyPattern(String.raw`[\p{L}\p{N}_$]`, "u")
const nameCharacter = lazyPattern(String.raw`[\p{L}\p{N}_$.-]`, "u")
const wordCharacter = lazyPattern(String.raw`[\p{L}\p{N}]`, "u")
const blank = /\s/

/** A structural character as JSON writes it, whether full-width or not; any other as it is. */
export function structureOf(character: string): string {
  return structure.get(character) ?? character
}

/** The quotes that may end a string which `character` begins; `undefined` for what is no quote. */
export function quotesOf(character: string): string | undefined {
  return families.get(character)
}

/** True for the code of a quote or a structural character. */
export function isQuoteOrStructure(code: number): boolean {
  return quotesAndStructure.has(code)
}

/** The JSON literal that a bare word stands for. */
export function literalOf(word: string): string | undefined {
  const isOneCase = /^[A-Z]?(?:[a-z]+|[A-Z]+)$/.test(word)
  return isOneCase ? literals.get(word.toLowerCase()) : undefined
}

/** True for white space of any kind. */
export function isBlank(character: string): boolean {
  return blank.test(character)
}

/** True for a character that can begin a name without quotes. */
export function isNameStart(character: string): boolean {
  return nameStart().test(character)
}

/** True for a character of a name without quotes. */
export function isNameCharacter(character: string): boolean {
  return nameCharacter().test(character)
}

/** True for a letter or a digit. */
export function isWordCharacter(character: string): boolean {
  return wordCharacter().test(character)
}
