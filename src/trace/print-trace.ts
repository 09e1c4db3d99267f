import { encodeInline } from "../encode/inline.ts"
import { printArguments } from "../tools/print-arguments.ts"
import type { ToolRun } from "../tools/tool.ts"
import { diffAssemblies } from "./diff-assemblies.ts"
import { oneLine, plainLines } from "./one-line.ts"
import { printAssembly } from "./print-assembly.ts"
import { printDifference } from "./print-difference.ts"
import type { TraceStep, TurnTrace } from "./trace.ts"

/**
 * A turn for people: each request as a table of where its tokens came from and how it differs from the one before, each
 * tool run, every warning, in order. What a model, a tool or a user said does nothing to the terminal it is printed on.
 */
export function printTrace(trace: TurnTrace): string {
  const runs = [...trace.runs]
  const lines = [headline(trace), ...trace.prestart.map((run) => `prestart ${runLine(run)}`)]
  for (const [index, step] of trace.steps.entries()) {
    lines.push("", ...requestLines(step, trace.steps[index - 1]))
    if (step.decision?.action !== "tool") continue
    const run = runs.shift()
    if (run) lines.push(`tool ${runLine(run)}`)
  }
  lines.push(...trace.warnings.map(({ kind, message }) => `warning (${kind}): ${oneLine(message, 500)}`))
  if (trace.error) lines.push(`error (${trace.error.code}): ${plainLines(trace.error.message)}`)
  return lines.join("\n")
}

/** A step, its request as a table, and what changed since the turn's last request. */
function requestLines(step: TraceStep, previous: TraceStep | undefined): string[] {
  const lines = [stepLine(step), printAssembly(step.assembly)]
  if (!previous) return lines
  const [first = "", ...rest] = printDifference(diffAssemblies(previous.assembly, step.assembly))
  return [...lines, `  since step ${previous.step}: ${first}`, ...rest.map((line) => `  ${line}`)]
}

function headline({ turnId, durationMs, steps, runs, usage }: TurnTrace): string {
  const calls = `${steps.length} model ${steps.length === 1 ? "call" : "calls"}`
  const tools = `${runs.length} tool ${runs.length === 1 ? "run" : "runs"}`
  const used = usage.inputTokens === undefined ? "" : ` · ${usage.inputTokens} tokens in, ${usage.outputTokens ?? 0} out`
  return `turn ${turnId} · ${durationMs} ms · ${calls} · ${tools}${used}`
}

function stepLine({ step, prompt, model, assembly, decision, durationMs }: TraceStep): string {
  const tokens = `${assembly.exact ? "" : "about "}${assembly.tokens + assembly.overheadTokens} tokens`
  return `step ${step} · ${prompt} · ${model} · ${tokens} · ${durationMs} ms${decision ? ` → ${decisionText(decision)}` : ""}`
}

function decisionText(decision: NonNullable<TraceStep["decision"]>): string {
  if (decision.action === "tool") return callText(decision.tool, decision.args)
  if (decision.action === "finish") return decision.message === undefined ? "finish, no message" : `finish (${decision.status})`
  return `unreadable (${decision.fault.kind})`
}

function runLine({ tool, args, status, result, repeatOf, durationMs }: ToolRun): string {
  const outcome = status === "failed" ? `failed: ${oneLine(result)}` : oneLine(result)
  return `${callText(tool, args)} → ${outcome} (${repeatOf === undefined ? `${durationMs} ms` : "repeat, not run"})`
}

/** A tool's name is whatever the model wrote. */
function callText(tool: string, args: Readonly<Record<string, unknown>>): string {
  return `${oneLine(encodeInline(tool))}(${oneLine(printArguments(args))})`
}
