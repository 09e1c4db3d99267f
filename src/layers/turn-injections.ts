import { priority } from "../core/priority.ts"
import type { Entry, Fit, Injection, Text, Value } from "../core/value.ts"
import { encodedText } from "../encode/marked-text.ts"
import type { ParameterWords } from "../tools/print-parameters.ts"
import type { ToolRun } from "../tools/tool.ts"
import { toolEntry } from "../tools/tool-text.ts"
import { fileFaultEntry } from "./file-faults.ts"
import { type HistoryLook, historyEntries } from "./history-entries.ts"
import { historyEntry, questionEntry } from "./message-entries.ts"
import { messageTime } from "./message-time.ts"
import { argumentsText, prestartEntry } from "./prestart-entry.ts"
import { type GroupRules, toolGroupEntries } from "./tool-group-entries.ts"
import type { PlannerStep, RecalledMemory, TurnState, WakeReason } from "./turn-state.ts"

/**
 * What gives way first when a request is short of tokens; everything of layers 1 to 4 ranks higher (S13). A turn's first
 * request has no runs and steps, so in a later one they give way before what the first one decided (design, rule 6).
 */
const ranks = { runs: 5, history: 10, memories: 20, prestart: 40, tools: 70 } as const

/** What of a turn depends on the dialect. */
export interface TurnLook extends ParameterWords {
  /** True where lines of speech carry their time (R11). */
  readonly showsTime?: boolean
  /** The dialect's line for nobody's having spoken; see {@link HistoryLook}. */
  readonly unprompted?: string | undefined
  /** Groups of tools whose rules of use the dialect has a sentence for (R28). */
  readonly ruledGroups?: ReadonlySet<string>
}

/** What a turn shows, as injections: question, history, memories, prestart, tools and their groups, runs, steps, note and faults. */
export function turnInjections(turn: TurnState, words: TurnLook): Injection[] {
  const { agentName, group, timeZone = "" } = turn
  const look: HistoryLook = {
    agentName,
    group,
    zone: words.showsTime === true ? timeZone : undefined,
    unprompted: words.unprompted,
  }
  const rules: GroupRules = { own: turn.groupRules ?? {}, shipped: words.ruledGroups ?? noGroups }
  return [
    turnItem("question", turn.wake ? [] : [questionEntry(turn, look)], "user"),
    ...(turn.wake ? [turnItem("wake", [wakeEntry(turn.wake)], "author", whole)] : []),
    turnItem(
      "history",
      historyEntries(turn.history, look, (message) => historyEntry(message, look)),
      "user",
      entries(ranks.history),
    ),
    {
      ...turnItem(
        "memories",
        turn.memories.map((memory) => memoryEntry(memory, timeZone === "" ? undefined : timeZone)),
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
    {
      ...turnItem("tool_groups", toolGroupEntries(turn.tools, rules), "author", entries(ranks.tools)),
      scope: "session",
      priority: priority.toolInstructions,
    },
    turnItem("file_faults", (turn.fileFaults ?? []).map(fileFaultEntry), "agent", entries(ranks.prestart)),
    turnItem("runs", turn.runs.map(runEntry), "tool", newest(ranks.runs)),
    turnItem("steps", turn.steps.flatMap(stepEntries), "tool", newest(ranks.runs)),
    turnItem("note", as(turn.note ?? "", "agent"), "agent"),
    turnItem("fault", encodedText(turn.fault ?? "", "agent"), "agent"),
  ]
}

const noGroups: ReadonlySet<string> = new Set()

/** Never cut: without it there would be nothing to answer. */
const whole: Fit = { rank: 100, shrink: "entries", minTokens: 1 }

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

function memoryEntry({ text, speaker, atMs }: RecalledMemory, zone: string | undefined): Entry {
  return {
    text: as(text, "memory"),
    ...(speaker === undefined ? {} : { speaker: as(speaker, "memory") }),
    ...(atMs === undefined ? {} : { time: messageTime(atMs, zone) }),
  }
}

function wakeEntry({ reason, bubbles, workMode }: WakeReason): Entry {
  return { reason: as(reason, "author"), bubbles, work_mode: workMode }
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
