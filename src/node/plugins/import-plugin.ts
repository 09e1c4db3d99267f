import { fileURLToPath, pathToFileURL } from "node:url"
import { messageOf } from "../../core/errors.ts"
import type { Timers } from "../../core/ports.ts"
import { didYouMean } from "../../core/suggest.ts"
import { type Timely, within } from "../../turn/within.ts"
import { displayPath } from "../shipped-files.ts"
import { checkPlugin } from "./check-plugin.ts"
import type { PluginContext, PluginOutcome, PluginProblem } from "./plugin-module.ts"

/** How a plugin's module is run. */
export interface PluginRun {
  /** The plugin's own options; `{}` if it has none. */
  readonly options: Readonly<Record<string, unknown>>
  readonly context: PluginContext
  /** The time limit for the module to load, and again for its function to return. */
  readonly timeoutMs: number
  readonly timers: Timers
}

/** Loads a plugin's module and makes the plugin. A mistake of the module is a problem. Never rejects. */
export async function importPlugin(path: string, run: PluginRun): Promise<PluginOutcome> {
  const file = displayPath(path)
  const url = pathToFileURL(path).href
  const problem = (what: string, outcome: Timely<unknown>) => ({
    problem: failure(what, outcome, { url, timeoutMs: run.timeoutMs }),
  })
  const loaded = await limited(run, async () => ({ ...((await import(url)) as Readonly<Record<string, unknown>>) }))
  if (loaded.status !== "done") return problem(`expected a module that loads, but ${file}`, loaded)
  const exported = loaded.value.plugin ?? loaded.value.default
  if (exported === undefined) return { problem: { message: nothingExported(file, Object.keys(loaded.value)) } }
  if (typeof exported !== "function") return checkPlugin(exported, file)
  const made = await limited(run, () => (exported as (...given: unknown[]) => unknown)(run.options, run.context))
  if (made.status !== "done") return problem(`expected a plugin, but the function of ${file}`, made)
  return checkPlugin(made.value, file)
}

function limited<T>({ timeoutMs, timers }: PluginRun, task: () => T | Promise<T>): Promise<Timely<T>> {
  return within({ timeoutMs, timers, signal: new AbortController().signal }, task)
}

function failure(
  what: string,
  outcome: Timely<unknown>,
  { url, timeoutMs }: { readonly url: string; readonly timeoutMs: number },
): PluginProblem {
  if (outcome.status !== "failed") return { message: `${what} was not done after ${timeoutMs} ms.` }
  const message = `${what} threw: ${messageOf(outcome.error)}`
  const place = placeIn(outcome.error, url)
  return place === undefined ? { message } : { message, note: `Thrown at ${place}.` }
}

/** The place in the plugin's own file at which an error was thrown, `file:line:column`, taken from the error's stack. */
function placeIn(error: unknown, url: string): string | undefined {
  const stack = error instanceof Error ? String(error.stack) : ""
  const path = fileURLToPath(url)
  const name = [url, path].find((spelling) => stack.includes(`${spelling}:`))
  if (name === undefined) return undefined
  const start = stack.indexOf(`${name}:`) + name.length
  const place = /^(?::\d+){1,2}/.exec(stack.slice(start, start + 30))?.[0]
  return place === undefined ? undefined : `${displayPath(path)}${place}`
}

function nothingExported(file: string, exported: readonly string[]): string {
  const found = exported.length === 0 ? "no exports" : `only ${exported.slice(0, 10).join(", ")}`
  const near = exported.find((name) => didYouMean(name, ["plugin"]) !== "")
  const hint = near === undefined ? "" : ` Did you mean to call ${near} plugin?`
  return `expected ${file} to export plugin, an object or a function, or to export it as default, found ${found}.${hint}`
}
