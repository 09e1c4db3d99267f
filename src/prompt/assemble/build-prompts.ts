import { checkOptions, checkType } from "../../core/check-options.ts"
import type { KeptPrestart } from "../../core/conversation.ts"
import { authored, Memo, memoKind } from "../../core/memo.ts"
import { type Injection, isText, priority, type TrustedText } from "../../core/value.ts"
import { type Dialect, type PromptFile, promptFile } from "../dialect/dialect.ts"
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

/** The parts of layers 1 to 4. Files were loaded before. */
export interface SystemPromptParts {
  /** The persona (L3). A bare string is author text. */
  readonly persona: string | TrustedText
  /** How it writes (L4). A bare string is author text. */
  readonly format?: string | TrustedText
  readonly skills?: readonly Skill[]
  /** Tools with visibility `prestart` are left out (T27). */
  readonly tools?: readonly Tool[]
  /** The locale of a shipped dialect. Default `en`. */
  readonly locale?: string
  /** The dialect whose files print skills and tools: a shipped one's name, or one of your own. Default `layered`. */
  readonly dialect?: string | Dialect
}

/**
 * Builds layers 1 to 4 as a stack of the items `persona`, `format`, `skills` and `tools`, scope `global` (L14). Pure: the same
 * texts give the same bytes, whatever happens in a turn (L1). `render("", { heading: "none" })` gives the system prompt: the
 * layers, joined by blank lines. An empty layer leaves no trace.
 */
export function buildSystemPrompt(parts: SystemPromptParts): PromptStack {
  checkOptions("buildSystemPrompt", parts, "persona format skills tools locale dialect")
  const { persona, format = "", skills = [], tools = [], locale = "en", dialect: chosen = "layered" } = parts
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

/** The texts inside were encoded one by one, so the whole counts as encoded: no encoder may run over it again. */
function printed(input: InjectionInput, dialect: Dialect): TrustedText {
  const injection = toInjection(input)
  return encodedText(injection === undefined ? "" : printAlone(injection, dialect), "author")
}

/** The blocks that layer 5 shows above the user's words, in this order (L7). Blank or absent ones are left out. */
export interface ContextBlocks {
  /** Recalled memories. Several stand below each other. */
  readonly memoryContext?: string | readonly string[]
  /** Results of tools that ran before the turn. */
  readonly prestart?: readonly KeptPrestart[]
}

/** The form of a context prompt. */
export interface ContextPromptOptions {
  /** The locale of a shipped dialect. Default `en`. */
  readonly locale?: string
  /** The dialect whose `chat.md` gives the form: a shipped one's name, or one of your own. Default `layered`. */
  readonly dialect?: string | Dialect
}

/**
 * Builds the user's message of a turn: its context blocks, separated by blank lines, then the user's words (L7). Text in a
 * block cannot close it, and the user's words cannot open one: a line that reads as a label, in any case or width or with
 * invisible characters, gets a leading `\`. Pure. Without any text the result is `""`.
 */
export function buildContextPrompt(blocks: ContextBlocks, userText: string, options: ContextPromptOptions = {}): string {
  checkType("the blocks of buildContextPrompt", blocks, "object")
  checkType("the userText of buildContextPrompt", userText, "string")
  checkOptions("buildContextPrompt", blocks, { memoryContext: true, prestart: true })
  checkOptions("buildContextPrompt", options, { locale: true, dialect: true })
  const { memoryContext = [], prestart = [] } = blocks
  const { locale = "en", dialect: chosen = "layered" } = options
  const memories = typeof memoryContext === "string" ? [memoryContext] : memoryContext
  const injections = turnInjections(
    {
      ...emptyTurn,
      question: { speaker: { id: "", name: "" }, text: userText },
      memories: memories.map((text) => ({ text })),
      prestart,
    },
    { optional: "" },
    new Memo(),
  )
  const dialect = guarded(typeof chosen === "string" ? shippedDialect(chosen, locale) : chosen)
  return printMessage(injections, dialect, promptFile(dialect, "chat"))
}

const emptyTurn = { group: false, agentName: "", history: [], tools: [], runs: [], steps: [] } as const

const guardedDialects = memoKind<Dialect, Dialect>()

/** The dialect whose labels, such as `[memory context]`, are also protected when more text follows them on the line. */
function guarded(dialect: Dialect): Dialect {
  return authored.made(guardedDialects, dialect, () => ({ ...dialect, markers: withLabels(dialect.markers) }))
}

function withLabels(markers: Markers): Markers {
  const labels = [...markers.lines].filter((line) => line.startsWith("[") && line.endsWith("]"))
  return { ...markers, heads: [...markers.heads, ...labels] }
}

/** The last message that injections print in a prompt, cleaned and encoded, not counted; `""` if there is none. */
function printMessage(injections: readonly Injection[], dialect: Dialect, file: PromptFile): string {
  const memo = new Memo()
  const clean = injections.map((injection) => cleanInjection(injection, memo)?.injection ?? injection)
  const { messages } = compose(clean, { dialect, file, memo })
  return (messages.at(-1)?.pieces ?? []).map(({ text }) => text).join("")
}

/** The text that one injection prints in a dialect, alone on its lines. */
function printAlone(injection: Injection, dialect: Dialect): string {
  const template = parseTemplate(`\${role(system)}\n\${${injection.key}}`)
  return printMessage([injection], dialect, { template, separator: "\n", omit: [] })
}
