import words from "./words.json" with { type: "json" }

/** A part of a text, with its UTF-16 offsets. */
export interface Found {
  readonly text: string
  readonly start: number
  readonly end: number
}

interface Token extends Found {
  readonly kind: "number" | "operator" | "prefix" | "open" | "close" | "postfix" | "space"
}

/** Words for operators, with the sign that a calculator uses. Longer words come first. */
const spoken: readonly (readonly [word: string, kind: Token["kind"], sign: string])[] = [
  ...Object.entries(words.operators).map(([word, sign]) => [word, "operator", sign] as const),
  ...["sqrt", "sin", "cos", "tan", "abs", "log", "ln"].map((name) => [name, "prefix", name] as const),
  ["pi", "number", "pi"],
]

const signs: ReadonlyMap<string, Token["kind"]> = new Map([
  ...[..."+-*/^×÷−＋－＊／"].map((sign) => [sign, "operator"] as const),
  ...[..."(（"].map((sign) => [sign, "open"] as const),
  ...[...")）"].map((sign) => [sign, "close"] as const),
  ...[..."!%"].map((sign) => [sign, "postfix"] as const),
  [" ", "space"],
])

/** Finds the arithmetic in a text, in order: `帮我算 17*23` → `17*23`. Dates, ranges of years and single numbers do not count. */
export function findExpressions(text: string): readonly Found[] {
  const found: Found[] = []
  let run: Token[] = []
  const close = () => {
    const expression = expressionOf(run)
    if (expression) found.push(expression)
    run = []
  }
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at)
    if (token) run.push(token)
    else close()
    at = token?.end ?? at + 1
  }
  close()
  return found
}

function tokenAt(text: string, at: number): Token | undefined {
  const number = /\d{1,300}(?:\.\d{1,300})?/y
  number.lastIndex = at
  const digits = number.exec(text)?.[0]
  if (digits !== undefined) return { kind: "number", text: digits, start: at, end: at + digits.length }
  const sign = text[at] ?? ""
  const kind = signs.get(sign)
  if (kind) return { kind, text: sign, start: at, end: at + 1 }
  const word = spoken.find(([name]) => text.slice(at, at + name.length).toLowerCase() === name)
  return word && { kind: word[1], text: word[2], start: at, end: at + word[0].length }
}

/** The longest expression inside a run of tokens; `undefined` if it has no operation. */
function expressionOf(run: readonly Token[]): Found | undefined {
  let first = run.findIndex(({ kind, text }) => kind === "number" || kind === "open" || kind === "prefix" || text === "-")
  const last = run.findLastIndex(({ kind }) => kind === "number" || kind === "close" || kind === "postfix")
  // "3 - 4" begins with a number; a dash before a space is a dash.
  if (run[first]?.text === "-" && run[first + 1]?.kind === "space") first += 2
  const tokens = run.slice(Math.max(0, first), last + 1)
  const [head, tail] = [tokens[0], tokens.at(-1)]
  if (first < 0 || !head || !tail || !calculates(tokens)) return undefined
  const text = tokens.reduce((joined, token) => joined + token.text, "").trim()
  return isDate(text) ? undefined : { text, start: head.start, end: tail.end }
}

function calculates(tokens: readonly Token[]): boolean {
  const solid = tokens.filter(({ kind }) => kind !== "space")
  const joins = solid.some(({ kind }, at) => kind === "operator" && isOperandEnd(solid[at - 1]) && solid[at + 1] !== undefined)
  return (
    solid.some(({ kind }) => kind === "number") && (joins || solid.some(({ kind, text }) => kind === "prefix" || text === "!"))
  )
}

function isOperandEnd(token: Token | undefined): boolean {
  return token !== undefined && (token.kind === "number" || token.kind === "close" || token.kind === "postfix")
}

function isDate(text: string): boolean {
  return /^(?:\d{4}([-/])\d{1,2}\1\d{1,2}|\d{4}-\d{4})$/.test(text)
}
