import type { KeptPrestart } from "../core/history.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import type { Markers } from "../encode/lines.ts"
import { turnInjections } from "../layers/turn-injections.ts"
import { printMessage } from "./print-message.ts"

/** What layer 5 shows above the user's words, block by block, in this order (L7). What is blank or absent has no block. */
export interface ContextBlocks {
  /** What was recalled; several memories stand below each other. */
  readonly memoryContext?: string | readonly string[]
  /** Results of tools that ran before the turn. */
  readonly prestart?: readonly KeptPrestart[]
}

/** In whose form a context prompt is printed. */
export interface ContextPromptOptions {
  /** The locale of a shipped dialect. Default `en`. */
  readonly locale?: string
  /** Its `chat.md` is the form: a shipped dialect's name, or one of your own. Default `layered`. */
  readonly dialect?: string | Dialect
}

/**
 * The user's message of a turn: its context blocks, parted by blank lines, then the user's words (L7). Text in a block cannot
 * close it and the user's words cannot open one: a line that reads as a label, in any case or width or with invisible characters,
 * gets a leading `\`. Pure; nothing recalled is no block, and nothing at all is `""`.
 */
export function buildContextPrompt(
  { memoryContext = [], prestart = [] }: ContextBlocks,
  userText: string,
  { locale = "en", dialect: chosen = "layered" }: ContextPromptOptions = {},
): string {
  const memories = typeof memoryContext === "string" ? [memoryContext] : memoryContext
  const injections = turnInjections(
    {
      ...emptyTurn,
      question: { speaker: { id: "", name: "" }, text: userText },
      memories: memories.map((text) => ({ text })),
      prestart,
    },
    { optional: "" },
  )
  const dialect = guarded(typeof chosen === "string" ? shippedDialect(chosen, locale) : chosen)
  return printMessage(injections, dialect, "chat")
}

const emptyTurn = { group: false, agentName: "", history: [], tools: [], runs: [], steps: [] } as const

const guardedDialects = new WeakMap<Dialect, Dialect>()

/** The dialect with its labels, `[memory context]`, protected also where more text follows them on the line. */
function guarded(dialect: Dialect): Dialect {
  const known = guardedDialects.get(dialect)
  if (known) return known
  const made: Dialect = { ...dialect, markers: withLabels(dialect.markers) }
  guardedDialects.set(dialect, made)
  return made
}

function withLabels({ lines, heads, fences }: Markers): Markers {
  const labels = [...lines].filter((line) => line.startsWith("[") && line.endsWith("]"))
  return { lines, heads: [...heads, ...labels], fences }
}
