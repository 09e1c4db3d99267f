import { checkType } from "../core/check-options.ts"
import { addUsage, type Usage } from "../core/model/language-model.ts"
import { hostSecrets } from "../core/secrets/find-secrets.ts"
import { redactText } from "../core/secrets/redact.ts"
import { formatSource } from "../core/source.ts"
import { encodeInline } from "../prompt/encode/inline.ts"
import { terminalLine, terminalText } from "../prompt/encode/terminal-text.ts"
import type { RecalledMemory } from "../prompt/layers/turn-state.ts"
import { printArguments } from "../prompt/tools/call-arguments.ts"
import type { ToolRun } from "../prompt/tools/tool.ts"
import { type AssemblyDifference, type ChangedSpan, diffAssemblies } from "./diff-assemblies.ts"
import { printAssembly } from "./print-assembly.ts"
import { printLore } from "./print-lore.ts"
import { fitColumns, fitColumnsAtEnd } from "./table.ts"
import { mainProcess, type TraceStep, type TurnTrace } from "./trace.ts"
import { layersOf } from "./turn-spending.ts"

/**
 * Prints a turn for people, in order: each request as a table of its tokens with the difference to the one before, each tool run,
 * and every warning. The turn of a child agent is indented under its tool run. Text of a model, a tool or a user cannot control
 * the terminal, and secrets are `[secret]`. Its tables fit a terminal of `maxWidth` columns (60 or more).
 */
export function printTrace(trace: TurnTrace, maxWidth = Number.POSITIVE_INFINITY): string {
  checkType("trace.steps of printTrace", trace?.steps, "list")
  const runs = [...trace.runs]
  const toolLines = (run: ToolRun, as = "tool"): string[] => [`${as} ${runLine(run)}`, ...childLines(trace, run, maxWidth)]
  const lines = [headline(trace), ...trace.prestart.flatMap((run) => toolLines(run, "prestart"))]
  lines.push(...(trace.recalled ?? []).map(recalledLine))
  for (const [index, step] of trace.steps.entries()) {
    lines.push("", ...requestLines(step, trace.steps[index - 1], maxWidth))
    if (step.decision?.action !== "tool") continue
    const run = runs.shift()
    if (run) lines.push(...toolLines(run))
  }
  // Native calls: several of them can belong to one step.
  lines.push(...runs.flatMap((run) => toolLines(run)))
  lines.push(...trace.warnings.map(({ kind, message }) => `warning (${kind}): ${terminalLine(message, 500)}`))
  if (trace.error) lines.push(`error (${trace.error.code}): ${terminalText(trace.error.message).replaceAll("\t", " ")}`)
  return redactText(lines.join("\n"), hostSecrets())
}

/** The turns of child agents inside a tool run. */
function childLines({ children }: TurnTrace, { id }: ToolRun, maxWidth: number): string[] {
  const own = children.filter((child) => child.id === id)
  return own.flatMap(({ trace }) =>
    printTrace(trace, maxWidth - 4)
      .split("\n")
      .map((line) => (line === "" ? "  │" : `  │ ${line}`)),
  )
}

/** A step, its request as a table, and the difference to the turn's last request. */
function requestLines(step: TraceStep, previous: TraceStep | undefined, maxWidth: number): string[] {
  const { assembly } = step
  const lines = [stepLine(step), printAssembly(assembly, maxWidth), ...(assembly.lore ? [printLore(assembly, maxWidth)] : [])]
  if (!previous) return lines
  const [first = "", ...rest] = printDifference(diffAssemblies(previous.assembly, assembly))
  return [...lines, `  since step ${previous.step}: ${first}`, ...rest.map((line) => `  ${line}`)]
}

function headline(trace: TurnTrace): string {
  const { turnId, process, wake, received, merged, durationMs, steps, runs, usage, children } = trace
  const calls = `${steps.length} model ${steps.length === 1 ? "call" : "calls"}`
  const tools = `${runs.length} tool ${runs.length === 1 ? "run" : "runs"}`
  const used =
    usage.inputTokens === undefined
      ? ""
      : ` · ${usage.inputTokens} tokens in, ${usage.outputTokens ?? 0} out${usage.costUsd === undefined ? "" : `, $${usage.costUsd}`}`
  const { memories = 0, user_profile = 0 } = layersOf(trace)
  const recall = memories + user_profile > 0 ? ` · recall ${memories + user_profile} tokens` : ""
  const own = children.reduce<Usage>((sum, child) => addUsage(sum, child.trace.usage), {})
  const inside = children.length === 0 ? "" : `, of them ${own.inputTokens ?? "?"} in, ${own.outputTokens ?? "?"} out by children`
  const who = process === mainProcess ? "turn" : `${terminalLine(process)}: turn`
  const why = wake === undefined ? "" : ` · woke: ${terminalLine(wake)}`
  const decided = received === undefined ? "" : ` · answers: ${terminalLine(received)}`
  const too = merged && merged.turns.length > 0 ? ` · answers ${merged.turns.join(", ")} too` : ""
  const alone = merged?.waited === undefined ? "" : ` · waited, because ${merged.waited}`
  return `${who} ${turnId} · ${durationMs} ms · ${calls} · ${tools}${used}${used === "" ? "" : inside}${recall}${why}${decided}${too}${alone}`
}

function stepLine({ step, prompt, model, report, assembly, decision, error, durationMs }: TraceStep): string {
  const tokens = `${assembly.exact ? "" : "about "}${assembly.tokens + assembly.overheadTokens} tokens`
  const failure = error === undefined ? "" : ` → failed: ${terminalLine(error)}`
  const outcome = `${decision ? ` → ${decisionText(decision)}` : ""}${failure}`
  const served = report?.model === undefined ? "" : ` (as ${terminalLine(report.model)})`
  return `step ${step} · ${prompt} · ${model}${served} · ${tokens} · ${durationMs} ms${outcome}`
}

function decisionText(decision: NonNullable<TraceStep["decision"]>): string {
  if (decision.action === "tool") return callText(decision.tool, decision.args)
  if (decision.action === "finish") return decision.message === undefined ? "finish, no message" : `finish (${decision.status})`
  return `unreadable (${decision.fault.kind})`
}

function runLine({ tool, args, status, result, repeatOf, durationMs }: ToolRun): string {
  const outcome = status === "failed" ? `failed: ${terminalLine(result)}` : terminalLine(result)
  return `${callText(tool, args)} → ${outcome} (${repeatOf === undefined ? `${durationMs} ms` : "repeat, not run"})`
}

/** `recalled Ann: I like tea · 0.93 (words 61 %, time 22 %)`, with the score of a `rerank` behind it. */
function recalledLine({ text, speaker, score, reranked, why = [] }: RecalledMemory): string {
  const signals = why.filter(({ share }) => share >= 0.01).map(({ signal, share }) => `${signal} ${Math.round(share * 100)} %`)
  const reasons = signals.length === 0 ? "" : ` (${signals.join(", ")})`
  const points = score === undefined ? "" : ` · ${score.toFixed(2)}${reasons}`
  const again = reranked === undefined ? "" : ` · reranked ${reranked.toFixed(2)}`
  return `recalled ${terminalLine(speaker === undefined ? text : `${speaker}: ${text}`)}${points}${again}`
}

/** A call in one line. The name of the tool is encoded, because the model wrote it. */
function callText(tool: string, args: Readonly<Record<string, unknown>>): string {
  return `${terminalLine(encodeInline(tool))}(${terminalLine(printArguments(args))})`
}

/** Prints a difference for people: the change in one or two lines and, for changed text, the characters around it in two more. */
export function printDifference(difference: AssemblyDifference): string[] {
  const { outcome, sharedTokens } = difference
  const shared = `${sharedTokens} ${sharedTokens === 1 ? "token" : "tokens"}`
  if (outcome === "none") return [`nothing changed; all its ${shared} are the same`]
  if (outcome === "extended") return [`all its ${shared} stand unchanged at the beginning`, `  ${whoChanged(difference)}`]
  if (outcome === "shortened") return [`it ends earlier, after ${shared} that are unchanged`, `  ${whoChanged(difference)}`]
  const broke = difference.brokeStable ? ", though it claims not to change" : ""
  const stand = sharedTokens === 1 ? "stands" : "stand"
  return [`${shared} ${stand} unchanged at the beginning`, `  ${whoChanged(difference)}${broke}`, ...excerptLines(difference)]
}

/** The layer that made the difference, and its change, in a few words. */
export function changeInShort({ span, what }: AssemblyDifference): string {
  if (!span) return what === "calls" ? "native calls changed" : "text changed"
  return `${nameOf(span)} (${span.stability}) ${happenedTo(span, what)}`
}

function whoChanged({ span, message, offset, what }: AssemblyDifference): string {
  if (!span) return `${what === "calls" ? "the native calls" : "the text"} of message ${message + 1} changed`
  const source = span.source ? `, ${terminalLine(formatSource({ file: span.source.file, line: span.source.line }))}` : ""
  return `${nameOf(span)} (${span.stability}${source}) ${happenedTo(span, what)} at message ${message + 1}, character ${offset + 1}`
}

function nameOf({ key }: ChangedSpan): string {
  return key === "" ? "(frame)" : terminalLine(key)
}

function happenedTo({ change }: ChangedSpan, what: AssemblyDifference["what"]): string {
  if (what === "role") return "stands in a message of another role"
  return what === "calls" ? "made another call" : happenings[change]
}

const happenings = { added: "was added", removed: "was removed", changed: "changed", moved: "moved" } as const

function excerptLines({ excerpt, what, roles }: AssemblyDifference): string[] {
  if (what === "calls") return []
  const [old, young] = what === "role" ? [`${roles.previous}: `, `${roles.next}: `] : ["", ""]
  const shared = fitColumnsAtEnd(excerpt.shared, 28)
  const [before, now] = [excerpt.previous, excerpt.next].map((text) => fitColumns(text, 48))
  return [`  before: ${old}${shared}⟦${before}⟧`, `  now:    ${young}${shared}⟦${now}⟧`]
}
