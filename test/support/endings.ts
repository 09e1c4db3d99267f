import { PromptStrataError } from "../../src/core/errors.ts"
import { printShort } from "./print-short.ts"

/**
 * Runs tasks one after the other and prints how each of them ends, for a snapshot that a person reads: the error's code, its whole
 * message and its evidence but for the lists that the message tells, or the value. A folder of the test is shown as `~`.
 */
export async function endings(tasks: Readonly<Record<string, () => unknown>>, folder = "no folder"): Promise<string> {
  const parts: string[] = []
  for (const [name, task] of Object.entries(tasks)) {
    parts.push(`# ${name}\n${await endOf(task, folder)}\n`)
  }
  return parts.join("\n")
}

async function endOf(task: () => unknown, folder: string): Promise<string> {
  // Before an object is printed, whose lines break by their width.
  const shown = (value: unknown): unknown => {
    if (typeof value === "string") return value.replaceAll(folder, "~")
    if (Array.isArray(value)) return value.map(shown)
    const isPlain = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
    return isPlain ? Object.fromEntries(Object.entries(value).map(([key, of]) => [key, shown(of)])) : value
  }
  try {
    const value = shown(await task())
    return typeof value === "string" ? value : printShort(value)
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) return String(error).replaceAll(folder, "~")
    const { code } = error
    const message = error.message.replaceAll(folder, "~")
    const { problems: _, faults: __, searched: ___, ...evidence } = error.evidence as Readonly<Record<string, unknown>>
    return `${code}: ${message}${Object.keys(evidence).length > 0 ? `\n${printShort(shown(evidence))}` : ""}`
  }
}
