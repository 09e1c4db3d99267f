import { PromptStrataError } from "../../core/errors.ts"
import type { TurnTrace } from "../../trace/trace.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"

/** The largest file of traces that is read: 64 MiB. */
const maxBytes = 64 * 1024 * 1024

/** The traces in the lines that `promptstrata chat --json --show trace` prints; other lines are passed over. Throws `file` for a line that is no JSON. */
export function readTraces(path: string): TurnTrace[] {
  const file = displayPath(path)
  return readTextFile(path, file, { maxBytes, kind: "file of traces" })
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : traceIn(parsed(line, { file, line: at + 1 }))))
}

function parsed(line: string, source: { readonly file: string; readonly line: number }): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new PromptStrataError("file", "expected a line of JSON.", {
      source,
      hint: "promptstrata chat --json --show trace prints such lines.",
      cause,
    })
  }
}

function traceIn(data: unknown): TurnTrace[] {
  const trace = memberOf(memberOf(data, "result"), "trace") ?? memberOf(data, "trace") ?? data
  return Array.isArray(memberOf(trace, "prestart")) && Array.isArray(memberOf(trace, "runs")) ? [trace as TurnTrace] : []
}

function memberOf(data: unknown, key: string): unknown {
  if (typeof data !== "object" || data === null || !Object.hasOwn(data, key)) return undefined
  return (data as Readonly<Record<string, unknown>>)[key]
}
