import { messageOf } from "../../core/errors.ts"
import { didYouMean, suggest } from "../../core/suggest.ts"
import type { Plugin } from "../../services/plugin.ts"
import { completeTool } from "../../tools/define-tool.ts"
import type { PluginOutcome } from "./plugin-module.ts"
import { completeFormat, completeHook, completeSkill, type Loose } from "./plugin-parts.ts"

const partNames = ["tools", "skills", "hooks", "formats"] as const

/**
 * Makes a plugin of what a module brought: plain tools and skills are completed, and what would fail in a turn is found here.
 * `file` is where it comes from, as people read it. Never throws.
 */
export function checkPlugin(value: unknown, file: string): PluginOutcome {
  try {
    const message = shapeFault(value)
    if (message !== undefined) return { problem: { message } }
    return { plugin: completed(value as Loose, file) }
  } catch (error) {
    return { problem: { message: messageOf(error) } }
  }
}

function shapeFault(value: unknown): string | undefined {
  if (value === undefined || value === null) return "expected a plugin, found nothing; does its function return one?"
  if (typeof value !== "object" || Array.isArray(value)) return `expected a plugin, an object, found ${kindOf(value)}.`
  const { name } = value as Loose
  if (typeof name !== "string" || name.trim() === "") return `expected a plugin with a name, found ${kindOf(name)} in its place.`
  // A misspelt list would be a plugin that silently does less.
  const misspelt = Object.keys(value).find((key) => !isKnown(key) && suggest(key, partNames) !== undefined)
  if (misspelt !== undefined)
    return `unknown key ${misspelt} in the plugin ${JSON.stringify(name)}.${didYouMean(misspelt, partNames)}`
  if (partNames.some((part) => part in value)) return undefined
  return `expected the plugin ${JSON.stringify(name)} to have ${partNames.join(", ")} or several of them, found none.`
}

function isKnown(key: string): boolean {
  return key === "name" || key === "close" || partNames.some((part) => part === key)
}

function completed(given: Loose, file: string): Plugin {
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

/** What a value is, for people. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "string") return value.length > 40 ? "a long string" : JSON.stringify(value)
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}
