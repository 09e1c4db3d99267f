import { priority as priorities } from "../../core/priority.ts"
import { isText, type Text } from "../../core/value.ts"
import type { Skill, SkillMode } from "../../layers/skills.ts"
import type { OutputFormat } from "../../reply/output/output-part.ts"
import type { TurnHook } from "../../services/turn-hook.ts"

/** An object of which nothing is known. */
export type Loose = Readonly<Record<string, unknown>>

/** A skill with everything that it leaves out. Throws for one that says too little. */
export function completeSkill(given: Loose, file: string): Skill {
  const name = requireName(given, "a skill")
  const { description, content, mode = given.path === undefined ? "inline" : "outline", path } = given
  const of = `the skill ${JSON.stringify(name)}`
  if (typeof description !== "string" || description.trim() === "")
    throw new Error(`expected ${of} with a description, found none.`)
  if (!isContent(content)) throw new Error(`expected ${of} with its text as content, found none.`)
  if (!isMode(mode)) throw new Error(`expected mode "inline" or "outline" of ${of}, found ${JSON.stringify(mode)}.`)
  if (path !== undefined && typeof path !== "string") throw new Error(`expected a path of ${of} that is a string.`)
  return {
    priority: priorities.default,
    allowedTools: [],
    resources: [],
    scripts: [],
    metadata: {},
    source: { file, line: 1 },
    ...given,
    name,
    description,
    mode,
    content: typeof content === "string" ? { text: content, trust: "author", source: { file, line: 1 } } : content,
  }
}

/** A hook as it is. Throws for one without a function. */
export function completeHook(given: Loose): TurnHook {
  const name = requireName(given, "a hook")
  const { beforeTurn, afterTurn } = given
  if (beforeTurn === undefined && afterTurn === undefined)
    throw new Error(`expected the hook ${JSON.stringify(name)} to have beforeTurn or afterTurn, found neither.`)
  if (beforeTurn !== undefined) requireFunction(given, "beforeTurn")
  if (afterTurn !== undefined) requireFunction(given, "afterTurn")
  return given as unknown as TurnHook
}

/** A format as it is. Throws for one without a reader. */
export function completeFormat(given: Loose): OutputFormat {
  requireName(given, "a format")
  requireFunction(given, "createReader")
  return given as unknown as OutputFormat
}

function requireName({ name }: Loose, what: string): string {
  if (typeof name === "string" && name.trim() !== "") return name
  throw new Error(`expected ${what} with a name, found ${name === undefined ? "none" : JSON.stringify(name)}.`)
}

function requireFunction(given: Loose, key: string): void {
  if (typeof given[key] === "function") return
  throw new Error(
    `expected ${JSON.stringify(given.name)} to have a function ${key}, found ${given[key] === undefined ? "none" : "something else"}.`,
  )
}

function isContent(content: unknown): content is string | Text {
  if (typeof content === "string") return content.trim() !== ""
  return typeof content === "object" && content !== null && "text" in content && "trust" in content && isText(content as Text)
}

function isMode(mode: unknown): mode is SkillMode {
  return mode === "inline" || mode === "outline"
}
