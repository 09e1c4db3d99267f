import { authored, type Memo, memoKind } from "../../core/memo.ts"
import { type FitRule, type Injection, priority, type SlotEntry, type SlotValue, type TrustedText } from "../../core/value.ts"
import { encodedText } from "../encode/marked-text.ts"
import type { KnownNames } from "../encode/named-lines.ts"
import { nativeNames } from "../tools/native-names.ts"
import { isSentence, type Tool, type ToolRun } from "../tools/tool.ts"
import { type ParameterWords, toolEntry } from "../tools/tool-entry.ts"
import { callEntry, type HistoryLook, historyEntries, messageTime, prestartEntry, questionEntry } from "./history-entries.ts"
import type { PlannerStep, RecalledMemory, TurnState, UnopenedFile, WakeReason } from "./turn-state.ts"

/**
 * Ranks by which a turn's parts are cut when a request is short of tokens, lowest first; everything of layers 1 to 4 has a higher
 * rank (S13). Runs and steps come lowest: a turn's first request has none, so later requests show at least what the first one showed.
 */
const fits = {
  // The oldest entries are cut first, and the newest always stays.
  runs: { rank: 5, shrink: "entries", minTokens: 1 },
  history: { rank: 10, shrink: "entries" },
  // They stand by time; the most relevant stay longest.
  memories: { rank: 20, shrink: "entries" },
  prestart: { rank: 40, shrink: "entries" },
  tools: { rank: 70, shrink: "entries" },
  /** Never cut, because without it there would be nothing to answer. */
  wake: { rank: 100, shrink: "entries", minTokens: 1 },
} as const satisfies Record<string, FitRule>

/** The parts of a turn's injections that depend on the dialect. */
export interface TurnLook extends ParameterWords {
  /** True if lines of speech carry their time (R11). */
  readonly showsTime?: boolean
  /** The line of the dialect that stands before a message of the agent in a turn in which nobody spoke; see {@link HistoryLook}. */
  readonly unprompted?: string | undefined
  /** The dialect's sentence for an error that a tool threw, for a message that holds nothing else; see {@link HistoryLook}. */
  readonly threw?: ((reason: string) => string) | undefined
  /** True if history is printed as messages and with `output`, so that it can hold native calls and their results. */
  readonly nativeHistory?: boolean
  /** Tool groups for which the dialect has rules of use (R28). */
  readonly ruledGroups?: ReadonlySet<string>
}

/** The injections of a turn: question, history, memories, prestart, tools and their groups, runs, steps, note and faults. */
export function turnInjections(turn: TurnState, words: TurnLook, memo: Memo): Injection[] {
  const { agentName, group, timeZone = "" } = turn
  const zone = words.showsTime === true ? timeZone : undefined
  const look: HistoryLook = {
    agentName,
    group,
    zone,
    sight: turn.sight,
    unprompted: words.unprompted,
    threw: words.threw,
    nativeCalls: turn.nativeCalls === true && words.nativeHistory === true ? nativeNames(turn.tools) : undefined,
  }
  const remembered = [...turn.memories.entries()].sort(([, a], [, b]) => inTime(a, b))
  const memories = remembered.map(([, memory]) => memoryEntry(memory, timeZone === "" ? undefined : timeZone))
  const tools = turn.tools.map((tool) => toolEntry(tool, words))
  const scores = remembered.map(([rank]) => -rank)
  const steps = turn.steps.flatMap((step) => stepEntries(step, words))
  return [
    turnItem("question", turn.wake ? [] : [questionEntry(turn, look)], "user"),
    ...(turn.wake ? [turnItem("wake", [wakeEntry(turn.wake)], "author", { fit: fits.wake })] : []),
    turnItem("history", historyEntries(turn.history, look, memo), "user", { fit: fits.history }),
    turnItem("memories", memories, "memory", { fit: { ...fits.memories, scores }, priority: priority.characterMemories }),
    turnItem("prestart", turn.prestart.map(prestartEntry), "tool", { fit: fits.prestart }),
    turnItem("tools", tools, "author", { fit: fits.tools, ...ofSession }),
    turnItem("tool_groups", toolGroupEntries(turn, words.ruledGroups), "author", { fit: fits.tools, ...ofSession }),
    turnItem("file_faults", (turn.fileFaults ?? []).map(fileFaultEntry), "agent", { fit: fits.prestart }),
    turnItem("runs", turn.runs.map(runEntry), "tool", { fit: fits.runs }),
    turnItem("steps", steps, "tool", { fit: fits.runs }),
    turnItem("note", turn.note === undefined ? [] : as(turn.note, "agent"), "agent"),
    turnItem("fault", turn.fault === undefined ? [] : encodedText(turn.fault, "agent"), "agent"),
  ]
}

/** The tools and the rules of use of their groups stay the same over the turns of a session. */
const ofSession = { scope: "session", stability: "session", priority: priority.toolInstructions } as const

/** The names of a list of tools, the same object again while they are the same: what texts are compared by is built once for each. */
const toolNames = memoKind<readonly Tool[], readonly string[]>()
/** By an agent's tools, the names of its own and of its user, if a session knows no others. */
const ownNames: typeof toolNames = memoKind()

/**
 * The names that a turn shows: its agent, its speakers, those of its history and memories, its tools, and others who spoke `earlier`. A text that begins a
 * line with one of them, as the prompt does, would speak for somebody else (T5).
 */
export function knownNames(
  { agentName, userName, question, history, memories, tools }: TurnState,
  earlier: readonly string[] = [],
): KnownNames {
  const said = [...history.map((message) => message.speaker.name), ...memories.flatMap((memory) => memory.speaker ?? [])]
  const speaker = [...new Set([agentName, question.speaker.name, ...earlier, ...said])].sort()
  const tool = tools.map(({ name }) => name)
  const isOwn = speaker.every((name) => name === agentName || name === userName)
  return {
    speaker: isOwn ? authored.sameList(ownNames, tools, speaker) : speaker,
    tool: authored.sameList(toolNames, tools, tool),
  }
}

function turnItem(key: string, content: SlotValue, trust: Injection["trust"], more?: Partial<Injection>): Injection {
  return { key, content, trust, priority: priority.default, role: "system", scope: "turn", enabled: true, ...more }
}

function as(text: string, trust: TrustedText["trust"]): TrustedText {
  return { text, trust }
}

/** The order of what was said, a reply behind its question: ids of one turn count its messages. */
function inTime(a: RecalledMemory, b: RecalledMemory): number {
  return (a.atMs ?? 0) - (b.atMs ?? 0) || (a.id ?? "").localeCompare(b.id ?? "", "en", { numeric: true })
}

function memoryEntry({ text, speaker, atMs, againAtMs = [] }: RecalledMemory, zone: string | undefined): SlotEntry {
  return {
    text: as(text, "memory"),
    // An insight or a note, which has a time, must not read as the words of whoever spoke before.
    ...(speaker === undefined ? { unsaid: atMs !== undefined } : { speaker: as(speaker, "memory") }),
    ...(atMs === undefined ? {} : { time: saidTimes([atMs, ...againAtMs], zone) }),
  }
}

/** The first and the last of some times; a memory that was said once has one. */
function saidTimes(timesMs: readonly number[], zone: string | undefined): string {
  const first = messageTime(Math.min(...timesMs), zone)
  const last = messageTime(Math.max(...timesMs), zone)
  return first === last ? first : `${first} / ${last}`
}

function wakeEntry({ reason, trust = "tool", bubbles, workMode }: WakeReason): SlotEntry {
  return { reason: as(reason, trust), bubbles, work_mode: workMode }
}

function runEntry(run: ToolRun): SlotEntry {
  return callEntry(run, resultOf(run), { trust: "agent", failed: run.status === "failed", isSentence: isSentence(run) })
}

/** Of an empty run, the sentence of the dialect that stands for its result; it is not the tool's, so it is neither quoted nor escaped. */
function resultOf({ result, empty, parts }: ToolRun): TrustedText {
  const text = as(result, empty === true ? "author" : "tool")
  return parts ? { ...text, parts } : text
}

/** A call and its result. The result `answers` the call, so they are cut together. */
function stepEntries(step: PlannerStep, words: TurnLook): SlotEntry[] {
  if (step.type === "native") return nativeEntries(step, words)
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

/** A native call and its results. Ids and calls are data of the messages, not text in them. */
function nativeEntries({ text, calls, runs }: PlannerStep & { type: "native" }, { threw }: TurnLook): SlotEntry[] {
  const results = runs.map((run, index): SlotEntry => {
    const toolCallId = as(calls[index]?.id ?? run.id, "agent")
    return {
      role: "tool",
      answers: true,
      toolCallId,
      output: resultOf(run.failure === "threw" && threw ? { ...run, result: threw(run.result) } : run),
    }
  })
  return [{ role: "assistant", call: as(text, "agent"), toolCalls: as(JSON.stringify(calls), "agent") }, ...results]
}

/** An entry for each group of the turn's tools that has rules of use, in the order of the tools (R28). The profile's rules replace the dialect's. */
function toolGroupEntries({ tools, groupRules = {} }: TurnState, shipped?: ReadonlySet<string>): SlotEntry[] {
  const groups = new Set<string>()
  for (const { group } of tools) if (group !== undefined) groups.add(group)
  const entries: SlotEntry[] = []
  for (const group of groups) {
    const rules = Object.hasOwn(groupRules, group) ? groupRules[group] : undefined
    if (rules !== undefined) entries.push({ [group]: true, rules })
    else if (shipped?.has(group)) entries.push({ [group]: true })
  }
  return entries
}

function fileFaultEntry({ written, fault, totalLines }: UnopenedFile): SlotEntry {
  return {
    [fault]: true,
    file: { text: written, trust: "agent" },
    ...(totalLines === undefined ? {} : { total: { text: String(totalLines), trust: "author" } }),
  }
}
