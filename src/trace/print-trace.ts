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
import { asWritten, fitColumns, fitColumnsAtEnd } from "./table.ts"
import { mainProcess, type TraceStep, type TurnTrace } from "./trace.ts"
import { layersOf } from "./turn-spending.ts"

/**
 * Prints a turn for people, in order: each request as a table of its tokens with the difference to the one before, each tool run,
 * and every warning. The turn of a child agent is indented under its tool run. Text of a model, a tool or a user cannot control
 * the terminal, and secrets are `[secret]`. Its tables fit a terminal of `maxWidth` columns (60 or more). `say` puts the words, but for
 * names and the keys of layers, into another language.
 */
export function printTrace(trace: TurnTrace, maxWidth = Number.POSITIVE_INFINITY, say = asWritten): string {
  checkType("trace.steps of printTrace", trace?.steps, "list")
  const paper = { maxWidth, say }
  const runs = [...trace.runs]
  const toolLines = (run: ToolRun, as = "tool"): string[] => [`${say(as)} ${runLine(run, say)}`, ...childLines(trace, run, paper)]
  const lines = [headline(trace, say), ...trace.prestart.flatMap((run) => toolLines(run, "prestart"))]
  lines.push(...(trace.recalled ?? []).map((memory) => recalledLine(memory, say)))
  for (const [index, step] of trace.steps.entries()) {
    lines.push("", ...requestLines(step, trace.steps[index - 1], paper))
    if (step.decision?.action !== "tool") continue
    const run = runs.shift()
    if (run) lines.push(...toolLines(run))
  }
  // Native calls: several of them can belong to one step.
  lines.push(...runs.flatMap((run) => toolLines(run)))
  lines.push(...trace.warnings.map(({ kind, message }) => `${say("warning")} (${kind}): ${terminalLine(say(message), 500)}`))
  if (trace.error)
    lines.push(`${say("error")} (${trace.error.code}): ${terminalText(say(trace.error.message)).replaceAll("\t", " ")}`)
  return redactText(lines.join("\n"), hostSecrets())
}

/** The width and the language of what is printed. */
type Paper = { readonly maxWidth: number; readonly say: typeof asWritten }

/** The turns of child agents inside a tool run. */
function childLines({ children }: TurnTrace, { id }: ToolRun, { maxWidth, say }: Paper): string[] {
  const own = children.filter((child) => child.id === id)
  return own.flatMap(({ trace }) =>
    printTrace(trace, maxWidth - 4, say)
      .split("\n")
      .map((line) => (line === "" ? "  │" : `  │ ${line}`)),
  )
}

/** A step, its request as a table, and the difference to the turn's last request. */
function requestLines(step: TraceStep, previous: TraceStep | undefined, { maxWidth, say }: Paper): string[] {
  const { assembly } = step
  const table = printAssembly(assembly, maxWidth, say)
  const lines = [stepLine(step, say), table, ...(assembly.lore ? [printLore(assembly, maxWidth, say)] : [])]
  if (!previous) return lines
  const [first = "", ...rest] = printDifference(diffAssemblies(previous.assembly, assembly), say)
  return [...lines, say(`  since step ${previous.step}: ${first}`), ...rest.map((line) => `  ${line}`)]
}

function headline(trace: TurnTrace, say: typeof asWritten): string {
  const { turnId, process, wake, received, merged, durationMs, steps, runs, usage, children } = trace
  const { memories = 0, user_profile = 0 } = layersOf(trace)
  const own = children.reduce<Usage>((sum, child) => addUsage(sum, child.trace.usage), {})
  const inside = children.length === 0 ? "" : `, of them ${own.inputTokens ?? "?"} in, ${own.outputTokens ?? "?"} out by children`
  const cost = usage.costUsd === undefined ? "" : `, $${usage.costUsd}`
  const used = say(`${usage.inputTokens} tokens in, ${usage.outputTokens ?? 0} out`)
  return [
    process === mainProcess ? `turn ${turnId}` : `${terminalLine(process)}: turn ${turnId}`,
    `${durationMs} ms`,
    steps.length === 1 ? "1 model call" : `${steps.length} model calls`,
    runs.length === 1 ? "1 tool run" : `${runs.length} tool runs`,
    usage.inputTokens === undefined ? "" : `${used}${cost}${say(inside)}`,
    memories + user_profile > 0 ? `recall ${memories + user_profile} tokens` : "",
    wake === undefined ? "" : `woke: ${terminalLine(wake)}`,
    received === undefined ? "" : `answers: ${terminalLine(received)}`,
    merged && merged.turns.length > 0 ? `answers ${merged.turns.join(", ")} too` : "",
    merged?.waited === undefined ? "" : `waited, because ${merged.waited}`,
  ]
    .filter((part) => part !== "")
    .map(say)
    .join(" · ")
}

function stepLine(
  { step, prompt, model, report, assembly, decision, error, durationMs }: TraceStep,
  say: typeof asWritten,
): string {
  const failure = error === undefined ? "" : ` → ${say(`failed: ${terminalLine(error)}`)}`
  const outcome = `${decision ? ` → ${decisionText(decision, say)}` : ""}${failure}`
  const served = report?.model === undefined ? "" : say(` (as ${terminalLine(report.model)})`)
  const tokens = say(`${assembly.exact ? "" : "about "}${assembly.tokens + assembly.overheadTokens} tokens`)
  return `${say(`step ${step}`)} · ${prompt} · ${model}${served} · ${tokens} · ${durationMs} ms${outcome}`
}

function decisionText(decision: NonNullable<TraceStep["decision"]>, say: typeof asWritten): string {
  if (decision.action === "tool") return callText(decision.tool, decision.args)
  if (decision.action === "finish")
    return say(decision.message === undefined ? "finish, no message" : `finish (${decision.status})`)
  return say(`unreadable (${decision.fault.kind})`)
}

function runLine({ tool, args, status, result, repeatOf, durationMs }: ToolRun, say: typeof asWritten): string {
  const outcome = status === "failed" ? say(`failed: ${terminalLine(result)}`) : terminalLine(result)
  return `${callText(tool, args)} → ${outcome} (${repeatOf === undefined ? `${durationMs} ms` : say("repeat, not run")})`
}

/** `recalled Ann: I like tea · 0.93 (words 61 %, time 22 %)`, with the score of a `rerank` behind it. */
function recalledLine({ text, speaker, score, reranked, why = [] }: RecalledMemory, say: typeof asWritten): string {
  const signals = why.filter(({ share }) => share >= 0.01).map(({ signal, share }) => `${signal} ${Math.round(share * 100)} %`)
  const reasons = signals.length === 0 ? "" : ` (${signals.join(", ")})`
  const points = score === undefined ? "" : ` · ${score.toFixed(2)}${reasons}`
  const again = reranked === undefined ? "" : ` · ${say(`reranked ${reranked.toFixed(2)}`)}`
  return `${say(`recalled ${terminalLine(speaker === undefined ? text : `${speaker}: ${text}`)}`)}${points}${again}`
}

/** A call in one line. The name of the tool is encoded, because the model wrote it. */
function callText(tool: string, args: Readonly<Record<string, unknown>>): string {
  return `${terminalLine(encodeInline(tool))}(${terminalLine(printArguments(args))})`
}

/** Prints a difference for people: the change in one or two lines and, for changed text, the characters around it in two more. */
export function printDifference(difference: AssemblyDifference, say = asWritten): string[] {
  const { outcome, sharedTokens } = difference
  const shared = sharedTokens === 1 ? "1 token" : `${sharedTokens} tokens`
  const changed = `  ${whoChanged(difference, say)}`
  if (outcome === "none") return [say(`nothing changed; all its ${shared} are the same`)]
  if (outcome === "extended") return [say(`all its ${shared} stand unchanged at the beginning`), changed]
  if (outcome === "shortened") return [say(`it ends earlier, after ${shared} that are unchanged`), changed]
  const broke = difference.brokeStable ? say(", though it claims not to change") : ""
  const stand = say(
    sharedTokens === 1 ? "1 token stands unchanged at the beginning" : `${shared} stand unchanged at the beginning`,
  )
  return [stand, `${changed}${broke}`, ...excerptLines(difference, say)]
}

/** The layer that made the difference, and its change, in a few words. */
export function changeInShort({ span, what }: AssemblyDifference): string {
  if (!span) return what === "calls" ? "native calls changed" : "text changed"
  return `${nameOf(span)} (${span.stability}) ${happenedTo(span, what)}`
}

function whoChanged({ span, message, offset, what }: AssemblyDifference, say: typeof asWritten): string {
  if (!span) return say(`${what === "calls" ? "the native calls" : "the text"} of message ${message + 1} changed`)
  const source = span.source ? `, ${terminalLine(formatSource({ file: span.source.file, line: span.source.line }))}` : ""
  const happened = `${say(nameOf(span))} (${span.stability}${source}) ${say(happenedTo(span, what))}`
  return say(`${happened} at message ${message + 1}, character ${offset + 1}`)
}

function nameOf({ key }: ChangedSpan): string {
  return key === "" ? "(frame)" : terminalLine(key)
}

function happenedTo({ change }: ChangedSpan, what: AssemblyDifference["what"]): string {
  if (what === "role") return "stands in a message of another role"
  return what === "calls" ? "made another call" : happenings[change]
}

const happenings = { added: "was added", removed: "was removed", changed: "changed", moved: "moved" } as const

function excerptLines({ excerpt, what, roles }: AssemblyDifference, say: typeof asWritten): string[] {
  if (what === "calls") return []
  const [old, young] = what === "role" ? [`${roles.previous}: `, `${roles.next}: `] : ["", ""]
  const shared = fitColumnsAtEnd(excerpt.shared, 28)
  const [before, now] = [excerpt.previous, excerpt.next].map((text) => fitColumns(text, 48))
  return [say(`  before: ${old}${shared}⟦${before}⟧`), say(`  now:    ${young}${shared}⟦${now}⟧`)]
}
