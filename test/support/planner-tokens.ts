/** A value in planner output. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** What a planner meant to write: a call, or an answer. */
export type Meant =
  | { readonly action: "tool"; readonly tool: string; readonly args: { readonly [name: string]: Json } }
  | { readonly action: "finish"; readonly message: string }

/** One token of planner JSON, to be broken before it is written; strings know how they are written. */
export interface Token {
  kind: "open" | "close" | "comma" | "colon" | "key" | "string" | "scalar"
  /** What is written, for all but strings. */
  text: string
  /** White space before it. */
  gap: string
  /** Containers open around it; a bracket belongs to the container it opens or closes. */
  readonly depth: number
  /** What the innermost container is. */
  readonly inside: "object" | "array"
  readonly value: string
  quotes: readonly [string, string]
  /** Line breaks and tabs stand as they are. */
  rawControls?: boolean
  /** Quotes inside stand as they are. */
  bareQuotes?: boolean
  /** Backslashes stand alone. */
  bareBackslashes?: boolean
}

/** How tokens are spaced: all on one line, with spaces, or one member a line. */
export type Layout = "compact" | "spaced" | "pretty"

const straight: readonly [string, string] = ['"', '"']

/** The tokens of `value` as JSON writes it. */
export function tokensOf(value: Json, layout: Layout): Token[] {
  const tokens: Token[] = []
  const line = (depth: number) => (layout === "pretty" ? `\n${"  ".repeat(depth)}` : "")
  const after = layout === "compact" ? "" : " "
  const put = (kind: Token["kind"], text: string, gap: string, depth: number, inside: Token["inside"], word = "") =>
    tokens.push({ kind, text, gap, depth, inside, value: word, quotes: straight })
  const write = (item: Json, gap: string, depth: number, inside: Token["inside"]): void => {
    if (typeof item === "string") put("string", "", gap, depth, inside, item)
    else if (typeof item !== "object" || item === null) put("scalar", JSON.stringify(item), gap, depth, inside)
    else writeContainer(item, gap, depth + 1)
  }
  const writeContainer = (item: readonly Json[] | { readonly [name: string]: Json }, gap: string, depth: number) => {
    const inside = Array.isArray(item) ? "array" : "object"
    put("open", inside === "array" ? "[" : "{", gap, depth, inside)
    for (const [index, [name, member]] of Object.entries(item).entries()) {
      if (index > 0) put("comma", ",", "", depth, inside)
      const before = layout === "pretty" ? line(depth) : index > 0 ? after : ""
      if (inside === "object") {
        put("key", "", before, depth, inside, name)
        put("colon", ":", "", depth, inside)
      }
      write(member as Json, inside === "object" ? after : before, depth, inside)
    }
    const isEmpty = Object.keys(item).length === 0
    put("close", inside === "array" ? "]" : "}", isEmpty ? "" : line(depth - 1), depth, inside)
  }
  write(value, "", 0, "array")
  return tokens
}

/** The tokens as text. */
export function writeTokens(tokens: readonly Token[]): string {
  return tokens.map((token) => token.gap + (isString(token) ? writeString(token) : token.text)).join("")
}

/** True for a name or a string value that is still written as one. */
export function isString(token: Token): boolean {
  return (token.kind === "key" || token.kind === "string") && token.text === ""
}

function writeString(token: Token): string {
  const [open, close] = token.quotes
  const body = Array.from(token.value, (character) => writeCharacter(character, token)).join("")
  return open + body + close
}

function writeCharacter(character: string, token: Token): string {
  const mustEscape = character === (token.quotes[0] === "'" ? "'" : '"')
  if (mustEscape) return token.bareQuotes ? character : `\\${character}`
  if (character === "\\") return token.bareBackslashes ? character : "\\\\"
  if (token.rawControls && (character === "\n" || character === "\t")) return character
  return character < " " ? JSON.stringify(character).slice(1, -1) : character
}
