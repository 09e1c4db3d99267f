import { messageOf } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import { isText, priority as priorities, type TrustedText } from "../../core/value.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Skill } from "../../prompt/layers/skills.ts"
import { completeTool } from "../../prompt/tools/define-tool.ts"
import type { PluginOutcome } from "./plugin-module.ts"

/** The lists of a plugin, and how an item of each is completed. Each function throws what is wrong with the item. */
const lists = {
  tools: completeTool,
  skills: completeSkill,
  hooks: completeHook,
  formats: (given: Fields) => withFunction(given, requireName(given, "a format"), "createReader"),
  observers: (given: Fields) => withFunction(given, requireName(given, "an observer"), "observe"),
  jobs: (given: Fields) => withFunction(given, requireName(given, "a job", "kind"), "run"),
} satisfies Partial<Record<keyof Plugin, (given: Fields, file: string) => unknown>>
const parts = [...Object.keys(lists), "variables"]
const functions = ["mayAddTool", "close"]
const hookFunctions = ["beforeTurn", "afterTurn"]
const members = ["name", ...parts, ...functions]

/**
 * Makes a plugin of the value that a module exported or returned. Plain tools and skills are completed; a mistake that would fail
 * in a turn is a problem here. `file` names the module in messages. Never throws.
 */
export function checkPlugin(value: unknown, file: string): PluginOutcome {
  try {
    const message = shapeFault(value)
    return message === undefined ? { plugin: completePlugin(value as Fields, file) } : { problem: { message } }
  } catch (error) {
    return { problem: { message: messageOf(error) } }
  }
}

function shapeFault(value: unknown): string | undefined {
  if (value === undefined || value === null) return "expected a plugin, found nothing; does its function return one?"
  if (typeof value !== "object" || Array.isArray(value)) return `expected a plugin, an object, found ${kindOf(value)}.`
  const { name } = value as Fields
  if (typeof name !== "string" || name.trim() === "") return `expected a plugin with a name, found ${kindOf(name)} in its place.`
  const wrong = Object.keys(value).find((key) => adviceOn(key, value as Fields) !== undefined)
  if (wrong !== undefined) return `unknown key ${wrong} in the plugin ${JSON.stringify(name)}.${adviceOn(wrong, value as Fields)}`
  if (parts.some((part) => part in value)) return undefined
  return `expected the plugin ${JSON.stringify(name)} to have ${parts.join(", ")} or several of them, found none.`
}

/** Advice on a key that no plugin has. A function of any other name is the plugin's own method, such as those of `connectMcp`. */
function adviceOn(key: string, given: Fields): string | undefined {
  if (members.includes(key)) return undefined
  if (hookFunctions.includes(key)) return " It belongs in an item of hooks."
  if (typeof given[key] === "function") return didYouMean(key, [...functions, ...hookFunctions]) || undefined
  return didYouMean(key, members) || ` Known: ${members.join(", ")}.`
}

function completePlugin(given: Fields, file: string): Plugin {
  const plugin: Record<string, unknown> = { name: given.name }
  for (const [part, complete] of Object.entries(lists)) {
    if (given[part] !== undefined) plugin[part] = listOf(given[part], part, (item) => complete(item, file))
  }
  if (given.variables !== undefined) plugin.variables = checkVariables(given.variables)
  for (const key of functions) {
    if (given[key] !== undefined) plugin[key] = (withFunction(given, String(given.name), key)[key] as () => unknown).bind(given)
  }
  return plugin as unknown as Plugin
}

function listOf(list: unknown, part: string, complete: (item: Fields) => unknown): readonly unknown[] {
  if (!Array.isArray(list)) throw new Error(`${part}: expected an array, found ${kindOf(list)}.`)
  return list.map((item: unknown, at) => {
    if (typeof item !== "object" || item === null) throw new Error(`${part}[${at}]: expected an object, found ${kindOf(item)}.`)
    try {
      return complete(item as Fields)
    } catch (error) {
      throw new Error(`${part}[${at}]: ${messageOf(error)}`, { cause: error })
    }
  })
}

function checkVariables(given: unknown): Fields {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Error(`variables: expected an object, found ${kindOf(given)}.`)
  const wrong = Object.entries(given).find(([, value]) => typeof value !== "string")
  if (wrong) throw new Error(`variables.${wrong[0]}: expected a string, found ${kindOf(wrong[1])}.`)
  return given as Fields
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "string") return value.length > 40 ? "a long string" : JSON.stringify(value)
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

type Fields = Readonly<Record<string, unknown>>

/** A skill in which absent parts have their defaults. Throws if its name, description or content is missing. */
function completeSkill(given: Fields, file: string): Skill {
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
function completeHook(given: Fields): Fields {
  const name = requireName(given, "a hook")
  const present = hookFunctions.filter((key) => given[key] !== undefined)
  if (present.length === 0)
    throw new Error(`expected the hook ${JSON.stringify(name)} to have beforeTurn or afterTurn, found neither.`)
  for (const key of present) withFunction(given, name, key)
  return given
}

function requireName(given: Fields, what: string, key = "name"): string {
  const name = given[key]
  if (typeof name === "string" && name.trim() !== "") return name
  throw new Error(`expected ${what} with a ${key}, found ${name === undefined ? "none" : JSON.stringify(name)}.`)
}

/** The same object. Throws if `key` of it is no function. */
function withFunction(given: Fields, name: string, key: string): Fields {
  if (typeof given[key] === "function") return given
  const found = given[key] === undefined ? "none" : "something else"
  throw new Error(`expected ${JSON.stringify(name)} to have a function ${key}, found ${found}.`)
}

function isContent(content: unknown): content is string | TrustedText {
  if (typeof content === "string") return content.trim() !== ""
  return (
    typeof content === "object" && content !== null && "text" in content && "trust" in content && isText(content as TrustedText)
  )
}
