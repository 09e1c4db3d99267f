import { fileURLToPath, pathToFileURL } from "node:url"
import { defaultPorts } from "../../agent/agent-store.ts"
import { messageOf } from "../../core/errors.ts"
import type { Timers } from "../../core/ports.ts"
import { didYouMean } from "../../core/suggest.ts"
import { type Timely, within } from "../../core/within.ts"
import { displayPath } from "../shipped-files.ts"
import { checkPlugin } from "./check-plugin.ts"
import type { PluginContext, PluginOutcome, PluginProblem } from "./plugin-module.ts"

/** How a plugin's module is run. */
export interface PluginRun {
  readonly options: Readonly<Record<string, unknown>>
  readonly context: PluginContext
  /** For the module to load and for its function to return, each. */
  readonly timeoutMs: number
  readonly timers?: Timers
}

/** Loads a plugin's module and makes the plugin. What the module does wrong is a problem; never rejects. */
export async function importPlugin(path: string, run: PluginRun): Promise<PluginOutcome> {
  const file = displayPath(path)
  const url = pathToFileURL(path).href
  const loaded = await limited(run, async () => ({ ...((await import(url)) as Readonly<Record<string, unknown>>) }))
  if (loaded.status !== "done")
    return { problem: failure(loaded, { what: `expected a module that loads, but ${file}`, url, run }) }
  const exported = loaded.value.plugin ?? loaded.value.default
  if (exported === undefined) return { problem: { message: nothingExported(file, Object.keys(loaded.value)) } }
  if (typeof exported !== "function") return checkPlugin(exported, file)
  const made = await limited(run, () => (exported as (...given: unknown[]) => unknown)(run.options, run.context))
  if (made.status !== "done")
    return { problem: failure(made, { what: `expected a plugin, but the function of ${file}`, url, run }) }
  return checkPlugin(made.value, file)
}

function limited<T>({ timeoutMs, timers = defaultPorts.timers }: PluginRun, task: () => T | Promise<T>): Promise<Timely<T>> {
  return within({ timeoutMs, timers, signal: new AbortController().signal }, task)
}

function failure(
  outcome: Timely<unknown>,
  { what, url, run }: { readonly what: string; readonly url: string; readonly run: PluginRun },
): PluginProblem {
  if (outcome.status !== "failed") return { message: `${what} was not done after ${run.timeoutMs} ms.` }
  const at = placeIn(outcome.error, url)
  return { message: `${what} threw: ${messageOf(outcome.error)}`, ...(at === undefined ? {} : { note: `Thrown at ${at}.` }) }
}

/** Where in the plugin's own file something was thrown, `file:line:column`, as its stack tells. */
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
