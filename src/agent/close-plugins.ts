import { PromptStrataError } from "../core/errors.ts"
import type { Timers } from "../core/ports.ts"
import type { Plugin } from "../services/plugin.ts"
import { within } from "../turn/within.ts"

/**
 * Closes plugins side by side, each within `timeoutMs`, so that one that hangs keeps nobody from leaving. Throws what one threw, or
 * `plugin` for one that took too long; several as an `AggregateError`.
 */
export async function closePlugins(
  plugins: readonly Plugin[],
  { timers, timeoutMs }: { readonly timers: Timers; readonly timeoutMs: number },
): Promise<void> {
  const signal = new AbortController().signal
  const failed: unknown[] = []
  const close = async (plugin: Plugin): Promise<void> => {
    const outcome = await within({ timeoutMs, signal, timers }, () => plugin.close?.())
    if (outcome.status === "failed") failed.push(outcome.error)
    if (outcome.status === "timeout") failed.push(tookTooLong(plugin, timeoutMs))
  }
  await Promise.all(plugins.map(close))
  if (failed.length === 1) throw failed[0]
  if (failed.length > 1) throw new AggregateError(failed, "Several plugins could not be closed.")
}

function tookTooLong({ name }: Plugin, timeoutMs: number): PromptStrataError {
  return new PromptStrataError(
    "plugin",
    `expected the plugin ${JSON.stringify(name)} to close, but it was not done after ${timeoutMs} ms.`,
  )
}
