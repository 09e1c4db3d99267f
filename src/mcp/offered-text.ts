import { priority } from "../core/priority.ts"
import type { Skill } from "../layers/skills.ts"
import type { InjectionInput } from "../stack/injection.ts"
import { capResult } from "../tools/cap-result.ts"
import type { McpText } from "./listings.ts"

/** Longer texts lose their middle. */
const maxCharacters = 20_000

/** A read resource or prompt as a skill that stands whole in the prompt, as the server's words: trust `tool`. */
export function skillFrom(read: McpText): Skill {
  return {
    name: keyOf(read),
    description: read.description,
    mode: "inline",
    priority: priority.default,
    content: { text: capped(read.text), trust: "tool" },
    allowedTools: [],
    resources: [],
    scripts: [],
    metadata: {},
    source: { file: keyOf(read), line: 1 },
  }
}

/** The same as an item of a prompt stack, for a hook or for `createAgent`. */
export function injectionFrom(read: McpText, options: Omit<InjectionInput, "key" | "content" | "trust"> = {}): InjectionInput {
  return { scope: "session", ...options, key: keyOf(read), content: capped(read.text), trust: "tool" }
}

/** A key is one visible line, whatever the server calls its things. */
function keyOf({ server, name }: McpText): string {
  return `${server}:${encodeURI(name.slice(0, 200).toWellFormed())}`
}

function capped(text: string): string {
  return capResult(text, maxCharacters, () => "\n…\n").text
}
