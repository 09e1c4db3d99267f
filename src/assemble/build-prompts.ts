import type { KeptPrestart } from "../core/conversation.ts"
import { type Injection, isText, priority, type TrustedText } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { renderNotice } from "../dialect/render-notice.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import type { Markers } from "../encode/lines.ts"
import { encodedText } from "../encode/marked-text.ts"
import { type Skill, skillsInjection } from "../layers/skills.ts"
import { turnInjections } from "../layers/turn-injections.ts"
import { type InjectionInput, toInjection } from "../stack/injection.ts"
import { PromptStack } from "../stack/prompt-stack.ts"
import { parseTemplate } from "../template/parse.ts"
import type { Tool } from "../tools/tool.ts"
import { toolEntry } from "../tools/tool-entry.ts"
import { cleanInjection } from "./clean-injections.ts"
import { compose } from "./print/prompt-printer.ts"

/** What layers 1 to 4 are made from. Loading files is a step before. */
export interface SystemPromptParts {
  /** Who the agent is (L3). A bare string is author text. */
  readonly persona: string | TrustedText
  /** How it writes (L4). A bare string is author text. */
  readonly format?: string | TrustedText
  readonly skills?: readonly Skill[]
  /** Those with visibility `prestart` are left out (T27). */
  readonly tools?: readonly Tool[]
  /** The locale of a shipped dialect. Default `en`. */
  readonly locale?: string
  /** Whose files print skills and tools: a shipped dialect's name, or one of your own. Default `layered`. */
  readonly dialect?: string | Dialect
}

/**
 * Layers 1 to 4 as a stack of the items `persona`, `format`, `skills` and `tools`, scope `global` (L14). Pure: the same texts
 * give the same bytes, whatever happens in a turn (L1). `render("", { heading: "none" })` is the system prompt, its layers joined
 * by a blank line; a layer that holds nothing leaves no trace.
 */
export function buildSystemPrompt({
  persona,
  format = "",
  skills = [],
  tools = [],
  locale = "en",
  dialect: chosen = "layered",
}: SystemPromptParts): PromptStack {
  const dialect = typeof chosen === "string" ? shippedDialect(chosen, locale) : chosen
  return new PromptStack([
    layer("persona", asText(persona), priority.characterProfile),
    layer("format", asText(format), priority.characterProfile),
    layer("skills", printed(skillsInjection(skills), dialect), priority.toolInstructions),
    layer("tools", printed(toolsInjection(tools, dialect), dialect), priority.toolInstructions),
  ])
}

function layer(key: string, content: TrustedText, order: number): InjectionInput {
  return { key, content, trust: content.trust, scope: "global", priority: order }
}

function asText(text: string | TrustedText): TrustedText {
  return isText(text) ? text : { text, trust: "author" }
}

function toolsInjection(tools: readonly Tool[], dialect: Dialect): InjectionInput {
  const words = { optional: renderNotice(dialect, "optional", {}) }
  const shown = tools.filter(({ visibility }) => visibility === "planner")
  return { key: "tools", content: shown.map((tool) => toolEntry(tool, words)) }
}

/** Trust was looked at text by text, so no encoder may run over the whole again. */
function printed(input: InjectionInput, dialect: Dialect): TrustedText {
  const injection = toInjection(input)
  return encodedText(injection === undefined ? "" : printAlone(injection, dialect), "author")
}

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

/** The last message that injections print in a prompt of a dialect, cleaned and encoded, not counted; `""` where there is none. */
function printMessage(injections: readonly Injection[], dialect: Dialect, prompt: string): string {
  const clean = injections.map((injection) => cleanInjection(injection)?.injection ?? injection)
  const { messages } = compose(clean, { dialect, prompt })
  return (messages.at(-1)?.pieces ?? []).map(({ text }) => text).join("")
}

/** No file has this name: a file's name ends before its first dot. */
const aloneName = "alone.injection"

/** What one injection prints in a dialect where it stands alone on its lines. */
function printAlone(injection: Injection, dialect: Dialect): string {
  const template = parseTemplate(`\${role(system)}\n\${${injection.key}}`)
  const files = new Map(dialect.files).set(aloneName, { template, separator: "\n", omit: [] })
  return printMessage([injection], { ...dialect, files }, aloneName)
}
