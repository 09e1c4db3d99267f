import { priority } from "../core/priority.ts"
import { isText, type Text } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { renderNotice } from "../dialect/render-notice.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import { encodedText } from "../encode/marked-text.ts"
import type { Skill } from "../layers/skills/skill.ts"
import { skillsInjection } from "../layers/skills/skills-injection.ts"
import { type InjectionInput, toInjection } from "../stack/injection.ts"
import { PromptStack } from "../stack/prompt-stack.ts"
import type { Tool } from "../tools/tool.ts"
import { toolEntry } from "../tools/tool-text.ts"
import { printAlone } from "./print-message.ts"

/** What layers 1 to 4 are made from. Loading files is a step before. */
export interface SystemPromptParts {
  /** Who the agent is (L3). A bare string is author text. */
  readonly persona: string | Text
  /** How it writes (L4). A bare string is author text. */
  readonly format?: string | Text
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

function layer(key: string, content: Text, order: number): InjectionInput {
  return { key, content, trust: content.trust, scope: "global", priority: order }
}

function asText(text: string | Text): Text {
  return isText(text) ? text : { text, trust: "author" }
}

function toolsInjection(tools: readonly Tool[], dialect: Dialect): InjectionInput {
  const words = { optional: renderNotice(dialect, "optional", {}) }
  const shown = tools.filter(({ visibility }) => visibility === "planner")
  return { key: "tools", content: shown.map((tool) => toolEntry(tool, words)) }
}

/** Trust was looked at text by text, so no encoder may run over the whole again. */
function printed(input: InjectionInput, dialect: Dialect): Text {
  const injection = toInjection(input)
  return encodedText(injection === undefined ? "" : printAlone(injection, dialect), "author")
}
