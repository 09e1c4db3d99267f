import type { Assembly } from "../core/span.ts"
import { encodeInline } from "../encode/inline.ts"
import { printArguments } from "../tools/print-arguments.ts"
import type { ToolRun } from "../tools/tool.ts"
import { oneLine, plainLines } from "./one-line.ts"
import { sectionsOf } from "./sections.ts"
import { printTable } from "./table.ts"
import type { TraceStep, TurnTrace } from "./trace.ts"

/**
 * A turn for people: each request as a table of where its tokens came from, each tool run, every warning, in order. What
 * a model, a tool or a user said does nothing to the terminal it is printed on.
 */
export function printTrace(trace: TurnTrace): string {
  const runs = [...trace.runs]
  const lines = [headline(trace), ...trace.prestart.map((run) => `prestart ${runLine(run)}`)]
  for (const step of trace.steps) {
    lines.push("", stepLine(step), printAssembly(step.assembly))
    if (step.decision?.action !== "tool") continue
    const run = runs.shift()
    if (run) lines.push(`tool ${runLine(run)}`)
  }
  lines.push(...trace.warnings.map(({ kind, message }) => `warning (${kind}): ${oneLine(message, 500)}`))
  if (trace.error) lines.push(`error (${trace.error.code}): ${plainLines(trace.error.message)}`)
  return lines.join("\n")
}

/** One request as a table: layer, tokens, share, what became of it, who wrote it, how often it changes, where it comes from. */
export function printAssembly(assembly: Assembly): string {
  const rows = sectionsOf(assembly).map(({ key, tokens, share, fate, trust, stability, source }) => [
    key,
    String(tokens),
    `${Math.round(share * 100)} %`,
    fate,
    trust,
    stability,
    source,
  ])
  return printTable(["layer", "tokens", "share", "fate", "trust", "changes", "source"], rows)
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
