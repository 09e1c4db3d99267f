import type { Json, Meant, Token } from "./planner-tokens.ts"

/** A planner output on its way to being broken. */
export interface Draft {
  readonly meant: Meant
  tokens: Token[]
  /** What is done to each object once it is written, in order. */
  readonly aroundObject: ((text: string) => string)[]
  /** A second object after the first, with what stands between them. */
  second?: { readonly separator: string; readonly text: string }
  /** What is done to the whole output, in order. */
  readonly around: ((text: string) => string)[]
  readonly random: () => number
  /** A string has lost its end: what follows on its line cannot be told from it. */
  isOpenEnded?: boolean
}

/**
 * What a breakage leaves: `meant`, what was meant can be read, `lost`, it cannot be told from something else, or
 * `nothing`, there was nothing to break.
 */
export type Survival = "meant" | "lost" | "nothing"

/** One way in which planners get JSON wrong. */
export interface Breakage {
  readonly name: string
  /** Changes what is meant, so that there is something to get wrong; `undefined` where that cannot be. */
  readonly season?: (meant: Meant, random: () => number) => Meant | undefined
  readonly apply: (draft: Draft) => Survival
}

/** One of `list`. */
export function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T
}

/** What is meant with one of its strings changed. */
export function changeString(meant: Meant, random: () => number, change: (text: string) => string): Meant | undefined {
  if (meant.action === "finish") return { ...meant, message: change(meant.message) }
  const count = stringsIn(meant.args)
  if (count === 0) return undefined
  const chosen = Math.floor(random() * count)
  let seen = 0
  const walk = (value: Json): Json => {
    if (typeof value === "string") return seen++ === chosen ? change(value) : value
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(walk)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item)]))
  }
  return { ...meant, args: walk(meant.args) as typeof meant.args }
}

function stringsIn(value: Json): number {
  if (typeof value === "string") return 1
  if (typeof value !== "object" || value === null) return 0
  return Object.values(value).reduce((sum: number, item: Json) => sum + stringsIn(item), 0)
}

/** `text` with one of its words changed. */
export function changeWord(text: string, random: () => number, change: (word: string) => string): string {
  const words = text.split(" ")
  const at = Math.floor(random() * words.length)
  return words.map((word, index) => (index === at ? change(word) : word)).join(" ")
}
