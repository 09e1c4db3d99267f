import { messageOf } from "../../core/errors.ts"
import { didYouMean, suggest } from "../../core/suggest.ts"
import { isText, priority as priorities, type TrustedText } from "../../core/value.ts"
import type { Skill } from "../../layers/skills.ts"
import type { OutputFormat } from "../../reply/output/output-part.ts"
import type { Plugin } from "../../services/plugin.ts"
import type { TurnHook } from "../../services/turn-hook.ts"
import { completeTool } from "../../tools/define-tool.ts"
import type { PluginOutcome } from "./plugin-module.ts"

const partNames = ["tools", "skills", "hooks", "formats"] as const

/**
 * Makes a plugin of the value that a module exported or returned. Plain tools and skills are completed; a mistake that would fail
 * in a turn is a problem here. `file` names the module in messages. Never throws.
 */
export function checkPlugin(value: unknown, file: string): PluginOutcome {
  try {
    const message = shapeFault(value)
    return message === undefined ? { plugin: completePlugin(value as Loose, file) } : { problem: { message } }
  } catch (error) {
    return { problem: { message: messageOf(error) } }
  }
}

function shapeFault(value: unknown): string | undefined {
  if (value === undefined || value === null) return "expected a plugin, found nothing; does its function return one?"
  if (typeof value !== "object" || Array.isArray(value)) return `expected a plugin, an object, found ${kindOf(value)}.`
  const { name } = value as Loose
  if (typeof name !== "string" || name.trim() === "") return `expected a plugin with a name, found ${kindOf(name)} in its place.`
  // With a misspelt key the plugin would silently do less.
  const known: readonly string[] = ["name", "close", ...partNames]
  const misspelt = Object.keys(value).find((key) => !known.includes(key) && suggest(key, partNames) !== undefined)
  if (misspelt !== undefined)
    return `unknown key ${misspelt} in the plugin ${JSON.stringify(name)}.${didYouMean(misspelt, partNames)}`
  if (partNames.some((part) => part in value)) return undefined
  return `expected the plugin ${JSON.stringify(name)} to have ${partNames.join(", ")} or several of them, found none.`
}

function completePlugin(given: Loose, file: string): Plugin {
  const tools = listOf(given, "tools", completeTool)
  const skills = listOf(given, "skills", (skill) => completeSkill(skill, file))
  const hooks = listOf(given, "hooks", completeHook)
  const formats = listOf(given, "formats", completeFormat)
  return {
    name: String(given.name),
    ...(tools && { tools }),
    ...(skills && { skills }),
    ...(hooks && { hooks }),
    ...(formats && { formats }),
    ...(typeof given.close === "function" ? { close: given.close.bind(given) } : {}),
  }
}

function listOf<T>(given: Loose, part: string, complete: (item: Loose) => T): readonly T[] | undefined {
  const list = given[part]
  if (list === undefined) return undefined
  if (!Array.isArray(list)) throw new Error(`${part}: expected an array, found ${kindOf(list)}.`)
  return list.map((item: unknown, at) => {
    if (typeof item !== "object" || item === null) throw new Error(`${part}[${at}]: expected an object, found ${kindOf(item)}.`)
    try {
      return complete(item as Loose)
    } catch (error) {
      throw new Error(`${part}[${at}]: ${messageOf(error)}`, { cause: error })
    }
  })
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "string") return value.length > 40 ? "a long string" : JSON.stringify(value)
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

type Loose = Readonly<Record<string, unknown>>

/** A skill in which absent parts have their defaults. Throws if its name, description or content is missing. */
function completeSkill(given: Loose, file: string): Skill {
  const name = requireName(given, "a skill")
  const { description, content, mode = given.path === undefined ? "inline" : "outline", path } = given
  const of = `the skill ${JSON.stringify(name)}`
  if (typeof description !== "string" || description.trim() === "")
    throw new Error(`expected ${of} with a description, found none.`)
  if (!isContent(content)) throw new Error(`expected ${of} with its text as content, found none.`)
  if (mode !== "inline" && mode !== "outline")
    throw new Error(`expected mode "inline" or "outline" of ${of}, found ${JSON.stringify(mode)}.`)
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

/** A hook, unchanged. Throws if it has neither of its functions. */
function completeHook(given: Loose): TurnHook {
  const name = requireName(given, "a hook")
  const present = ["beforeTurn", "afterTurn"].filter((key) => given[key] !== undefined)
  if (present.length === 0)
    throw new Error(`expected the hook ${JSON.stringify(name)} to have beforeTurn or afterTurn, found neither.`)
  for (const key of present) requireFunction(given, key)
  return given as unknown as TurnHook
}

/** A format, unchanged. Throws if it cannot make a reader. */
function completeFormat(given: Loose): OutputFormat {
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

function isContent(content: unknown): content is string | TrustedText {
  if (typeof content === "string") return content.trim() !== ""
  return (
    typeof content === "object" && content !== null && "text" in content && "trust" in content && isText(content as TrustedText)
  )
}
