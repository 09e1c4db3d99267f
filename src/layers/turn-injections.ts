import type { HistoryMessage, KeptPrestart } from "../core/history.ts"
import { priority } from "../core/priority.ts"
import type { Entry, Fit, Injection, Text, Value } from "../core/value.ts"
import { encodedText } from "../encode/encoded.ts"
import { sanitiseJson } from "../encode/sanitise-json.ts"
import { printArguments } from "../tools/print-arguments.ts"
import type { ParameterWords } from "../tools/print-parameters.ts"
import type { ToolRun } from "../tools/tool.ts"
import { toolEntry } from "../tools/tool-text.ts"
import { historyEntries } from "./history-entries.ts"
import type { PlannerStep, TurnState } from "./turn-state.ts"

/**
 * What gives way first when a request is short of tokens; everything of layers 1 to 4 ranks higher (S13). A turn's first
 * request has no runs and steps, so in a later one they give way before what the first one decided (design, rule 6).
 */
const ranks = { runs: 5, history: 10, memories: 20, prestart: 40, tools: 70 } as const

/** What a turn shows, as injections: question, history, memories, prestart, tools, runs, steps, note and fault. */
export function turnInjections(turn: TurnState, words: ParameterWords): Injection[] {
  return [
    turnItem("question", [questionEntry(turn)], "user"),
    turnItem(
      "history",
      historyEntries(turn.history, turn, (message) => historyEntry(message, turn)),
      "user",
      entries(ranks.history),
    ),
    {
      ...turnItem(
        "memories",
        turn.memories.map(({ text }) => ({ text: as(text, "memory") })),
        "memory",
        entries(ranks.memories),
      ),
      priority: priority.characterMemories,
    },
    turnItem("prestart", turn.prestart.map(prestartEntry), "tool", entries(ranks.prestart)),
    {
      ...turnItem(
        "tools",
        turn.tools.map((tool) => toolEntry(tool, words)),
        "author",
        entries(ranks.tools),
      ),
      scope: "session",
      priority: priority.toolInstructions,
    },
    turnItem("runs", turn.runs.map(runEntry), "tool", newest(ranks.runs)),
    turnItem("steps", turn.steps.flatMap(stepEntries), "tool", newest(ranks.runs)),
    turnItem("note", as(turn.note ?? "", "agent"), "agent"),
    turnItem("fault", encodedText(turn.fault ?? "", "agent"), "agent"),
  ]
}

/** Every line break that JavaScript and the eye know. */
const lineBreak = /[\n-\r\u0085\u2028\u2029]/

function turnItem(key: string, content: Value, trust: Injection["trust"], fit?: Fit): Injection {
  return {
    key,
    content,
    trust,
    priority: priority.default,
    role: "system",
    scope: "turn",
    enabled: true,
    ...(fit ? { fit } : {}),
  }
}

function entries(rank: number): Fit {
  return { rank, shrink: "entries" }
}

/** The oldest entries go first; the newest always stays. */
function newest(rank: number): Fit {
  return { ...entries(rank), minTokens: 1 }
}

function as(text: string, trust: Text["trust"]): Text {
  return { text, trust }
}

function questionEntry({ question, group }: TurnState): Entry {
  return { speaker: as(question.speaker.name, "user"), text: as(question.text, "user"), group }
}

function historyEntry(message: HistoryMessage, { agentName, group }: TurnState): Entry {
  const fromAgent = message.role === "assistant"
  return {
    role: message.role,
    group: group && !fromAgent,
    speaker: fromAgent ? as(agentName, "author") : as(message.speaker.name, "user"),
    text: as(message.text, fromAgent ? "agent" : "user"),
    memories: (message.recalled ?? []).map((recalled) => ({ text: as(recalled, "memory") })),
    prestart: (message.prestart ?? []).map(prestartEntry),
  }
}

/** Arguments are encoded one by one, so they are cleaned one by one too. */
function argumentsText(args: Readonly<Record<string, unknown>>, trust: Text["trust"]): Text {
  const { value, ...removed } = sanitiseJson(args)
  return encodedText(printArguments(value), trust, removed)
}

function prestartEntry({ tool, args, result }: KeptPrestart): Entry {
  return { tool: as(tool, "tool"), arguments: argumentsText(args, "tool"), result: as(result, "tool") }
}

function runEntry(run: ToolRun): Entry {
  const block = lineBreak.test(run.result)
  return {
    tool: as(run.tool, "agent"),
    arguments: argumentsText(run.args, "agent"),
    failed: run.status === "failed",
    ...(block ? { block: as(run.result, "tool") } : { result: as(run.result, "tool") }),
  }
}

/** What comes back answers the call before it, so that a cut does not part them. */
function stepEntries(step: PlannerStep): Entry[] {
  if (step.type === "native") return nativeEntries(step)
  if (step.type === "fault") {
    return [
      { role: "assistant", call: as(step.output, "agent") },
      { role: "user", answers: true, notice: encodedText(step.notice, "agent") },
    ]
  }
  return [
    { role: "assistant", call: as(step.call, "agent") },
    { role: "user", answers: true, ...runEntry(step.run) },
  ]
}

/** A native call and its results are messages of their own kinds; ids and calls are data of the message, not text in it. */
function nativeEntries({ text, calls, runs }: PlannerStep & { type: "native" }): Entry[] {
  const results = runs.map((run, index): Entry => {
    const toolCallId = as(calls[index]?.id ?? run.id, "agent")
    return { role: "tool", answers: true, toolCallId, output: as(run.result, "tool") }
  })
  return [{ role: "assistant", call: as(text, "agent"), toolCalls: as(JSON.stringify(calls), "agent") }, ...results]
}
