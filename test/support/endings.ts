import { PromptStrataError } from "../../src/core/errors.ts"
import { printShort } from "./print-short.ts"

/**
 * Runs tasks one after the other and prints how each of them ends, for a snapshot that a person reads: the error's code, its whole
 * message and its evidence but for the lists that the message tells, or the value. A folder of the test is shown as `~`.
 */
export async function endings(tasks: Readonly<Record<string, () => unknown>>, folder = "no folder"): Promise<string> {
  const parts: string[] = []
  for (const [name, task] of Object.entries(tasks)) {
    const ending = await endOf(task)
    parts.push(`# ${name}\n${ending.replaceAll(folder, "~")}\n`)
  }
  return parts.join("\n")
}

async function endOf(task: () => unknown): Promise<string> {
  try {
    const value = await task()
    return typeof value === "string" ? value : printShort(value)
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) return String(error)
    const { code, message } = error
    const { problems: _, faults: __, searched: ___, ...evidence } = error.evidence as Readonly<Record<string, unknown>>
    return `${code}: ${message}${Object.keys(evidence).length > 0 ? `\n${printShort(evidence)}` : ""}`
  }
}
