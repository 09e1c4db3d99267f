import type { SlotEntry } from "../../../core/value.ts"
import { counted } from "../store/receipt.ts"
import type { ProfileStatement } from "../store/records.ts"
import { backgroundInjection, daysIn } from "./dialogue.ts"
import type { DocumentMemory, LearnedLine, LineOrigin } from "./document-memory.ts"
import type { MemoryRun, Step, StepResult } from "./memory-run.ts"
import { readMerges } from "./tidy-rules.ts"
import { placeOf } from "./waiting-turns.ts"

/** Writes what the turns taught into the documents: notes and insights into MEMORY.md, facts about the user into USER.md. */
export async function documentStep({ run, signal }: Step, documents: DocumentMemory, isScheduled = false): Promise<StepResult> {
  const lines = [...(isScheduled ? [] : [...notesOf(run), ...(await factsOf(run))]), ...(await insightsOf(run))]
  if (lines.length === 0) return { outcome: "empty", message: "nothing new" }
  const by = run.job.turnId
  const outcome = await documents.write(lines, run.key, { by, expectWanted: () => run.expectWanted(signal), signal })
  const { edits, written, known, full, left } = outcome
  const parts = [...edits, counted(written, "line")]
  if (known > 0) parts.push(`${known} known`)
  if (left > 0) parts.push(`${full.join(" and ")} full: ${left} left out`)
  return { outcome: written > 0 ? "ok" : "empty", message: parts.join(", "), value: { edits, written, known, left } }
}

/** Asks a model to put the lines of a nearly full document in fewer words, and keeps of its answer what loses no fact. */
export async function tidyStep({ run, ask, signal }: Step, documents: DocumentMemory): Promise<StepResult> {
  const crowded = await documents.crowded(run.key, { signal })
  if (crowded === undefined) return { outcome: "skipped", message: "not due" }
  const lines = crowded.lines.map(({ text }) => text)
  const entries = lines.map((text, at): SlotEntry => ({ id: String(at + 1), text: { text, trust: "memory" } }))
  const read = readMerges((await ask("tidy", [backgroundInjection("recent", entries)], { signal })).text, lines)
  if (read === undefined) return { outcome: "parse-error", message: "no list of lines in the answer" }
  const { merges, refused } = read
  const by = `${run.job.turnId} tidy`
  const options = { by, expectWanted: () => run.expectWanted(signal), signal }
  const { status, edit } = await documents.tidy(crowded, merges, options)
  const count = merges.reduce((sum, { lines: numbers }) => sum + numbers.length, 0)
  const words = { changed: edit ?? crowded.path, waits: `${crowded.path} waits for approval`, stale: `${crowded.path} as it was` }
  const parts = [words[status], `${count} lines become ${merges.length}`]
  if (refused > 0) parts.push(`${refused} refused: a fact would be lost or added`)
  return { outcome: status === "stale" ? "empty" : "ok", message: parts.join(", "), value: { status, refused } }
}

/** The turns that are judged together, as origins of what they taught. */
function originsOf({ key, turns }: MemoryRun): readonly LineOrigin[] {
  return turns.map((turn) => {
    const { turnId, fromMs, untilMs } = placeOf(turn)
    return { ...key, turnId, fromMs, untilMs }
  })
}

function dayOf({ options, turns }: MemoryRun): string {
  const lastMs = turns.at(-1)?.messages.at(-1)?.atMs ?? options.ports.clock.nowMs()
  return daysIn(options.settings.timeZone)(lastMs)
}

const isUntrusted = ({ turns }: MemoryRun): boolean => turns.some(({ untrusted }) => untrusted)

/** The notes of the call that judged the importance, if it reaches the threshold. Without notes that could be read, the user's own words. */
function notesOf(run: MemoryRun): readonly LearnedLine[] {
  const { importance, notes } = run.receipts.get("importance")?.value ?? {}
  if (typeof importance !== "number" || importance < run.options.settings.importanceThreshold) return []
  const own = run.turns.flatMap(({ messages }) =>
    messages.flatMap(({ role, speaker, text }) => (role === "user" ? `${speaker.name}: ${text}` : [])),
  )
  const texts: readonly unknown[] = Array.isArray(notes) ? notes : own
  const line = { document: "memory", day: dayOf(run), untrusted: isUntrusted(run), origins: originsOf(run) } as const
  return texts.flatMap((text): LearnedLine[] => (typeof text === "string" && text.trim() !== "" ? [{ ...line, text }] : []))
}

/** The facts about the user that this job added to their profile and that still hold, and struck out those that it ended. */
async function factsOf(run: MemoryRun): Promise<readonly LearnedLine[]> {
  const profile = await run.options.userProfile?.get(run.key)
  const ended = profile?.history.filter((statement) => statement.ended) ?? []
  const own = [...ended, ...(profile?.fields ?? [])].filter(({ turnId }) => turnId === run.job.turnId)
  const speaker = run.turns.flatMap(({ messages }) => messages).find(({ role }) => role === "user")?.speaker.name
  return own.map(({ name, value, ended }: ProfileStatement): LearnedLine => {
    const text = ended ? `~~${value}~~` : value
    const line = { document: "user", text, field: name, untrusted: isUntrusted(run), origins: originsOf(run) } as const
    return { ...line, name: run.key.audience === "group" ? speaker : undefined }
  })
}

async function insightsOf(run: MemoryRun): Promise<readonly LearnedLine[]> {
  const { memory } = run.options
  const { turnId, payload } = run.job
  const begins = [turnId, "insight", ...(typeof payload.scheduledMs === "number" ? [payload.scheduledMs] : [])].join(":")
  const recent = (await memory?.recent(run.key, maxRecent)) ?? []
  const [origin] = originsOf(run).filter((each) => each.turnId === turnId)
  const line = { document: "memory", day: dayOf(run) } as const
  return recent.flatMap(({ id, kind, text, untrusted = false }): LearnedLine[] =>
    kind === "insight" && id.startsWith(`${begins}:`) && origin
      ? [{ ...line, text, untrusted, origins: [{ ...origin, insight: id }] }]
      : [],
  )
}

/** The newest memories, among which an insight of this very job stands. */
const maxRecent = 40
