import { lazyPattern } from "../../core/lazy-pattern.ts"

const structure = new Map([
  ["｛", "{"],
  ["｝", "}"],
  ["［", "["],
  ["］", "]"],
  ["：", ":"],
  ["，", ","],
])

/** The quotes that models write around names and strings, each with the quotes that may close it. */
const families = new Map(
  ['"', "'", "＂", "＇", "“”„", "‘’‚"].flatMap((family) => Array.from(family, (quote): [string, string] => [quote, family])),
)

const quotesAndStructure = new Set(
  [..."{}[]:,", ...structure.keys(), ...families.keys()].map((character) => character.charCodeAt(0)),
)

/** Literals of JSON, Python and JavaScript, in lower case, as JSON writes them. */
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

/** Turns a full-width structural character into that of JSON; any other character stays as it is. */
export function structureOf(character: string): string {
  return structure.get(character) ?? character
}

/** The quotes that may close a string that `character` opens; `undefined` for a character that is no quote. */
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
function isWordCharacter(character: string): boolean {
  return wordCharacter().test(character)
}

/** True for a single quote between letters. */
export function isApostrophe(text: string, at: number): boolean {
  return "'’".includes(text.charAt(at)) && isWordCharacter(text.charAt(at - 1)) && isWordCharacter(text.charAt(at + 1))
}

type Stage = "none" | "slash" | "hash" | "line" | "block" | "star" | "end"

/** Skips comments, character by character: `//`, or `#` and a space, to the end of the line, and `/*` to its end. */
export class CommentSkip {
  #stage: Stage = "none"

  /** True for a character of a comment. A slash or a hash counts as the beginning of one until the next character tells. */
  skips(character: string): boolean {
    this.#stage = this.#next(character)
    return this.#stage !== "none"
  }

  /** True after a slash or a hash that may turn out to begin no comment. */
  get isDoubtful(): boolean {
    return this.#stage === "slash" || this.#stage === "hash"
  }

  #next(character: string): Stage {
    switch (this.#stage) {
      case "slash":
        return character === "/" ? "line" : character === "*" ? "block" : "none"
      case "hash":
        return isBlank(character) ? endOfLine(character) : "none"
      case "line":
        return endOfLine(character)
      case "block":
        return character === "*" ? "star" : "block"
      case "star":
        return character === "/" ? "end" : character === "*" ? "star" : "block"
      default:
        return character === "/" ? "slash" : character === "#" ? "hash" : "none"
    }
  }
}

function endOfLine(character: string): Stage {
  return character === "\n" ? "end" : "line"
}

/** The first place from `from` on that is neither white space nor in a comment. */
export function skipBlank(text: string, from: number): number {
  const comment = new CommentSkip()
  let end = from
  for (let index = from; index < text.length; index++) {
    const character = text.charAt(index)
    const isComment = comment.skips(character)
    if (!isComment && (index > end || !isBlank(character))) return end
    if (!comment.isDoubtful) end = index + 1
  }
  return end
}

/** True where a comment begins: `//`, `/*`, or `#` and a space. */
export function isCommentAt(text: string, at: number): boolean {
  return !isBlank(text.charAt(at)) && skipBlank(text, at) > at
}
