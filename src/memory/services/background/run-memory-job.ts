import { PromptStrataError } from "../../../core/errors.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import type { MemoryService, NewMemory, RememberResult } from "../memory/memory-service.ts"
import type { RecordedMemoryService } from "../memory/recorded-memories.ts"
import type { Job } from "../store/job-runner.ts"
import { counted, isBadOutcome } from "../store/receipt.ts"
import type { MemoryKeys, StoredMemory, WorkOutcome } from "../store/records.ts"
import type { JobContext } from "./background-job.ts"
import { isFollowed, lookingBack, momentBehind, numberOf, type TurnWords, wordsOfTurn } from "./dialogue.ts"
import { documentStep, tidyStep } from "./document-step.ts"
import { importanceStep, memoryId } from "./importance-step.ts"
import { type MemoryJobOptions, turnsOfBatch } from "./memory-job-options.ts"
import { type LaterResult, MemoryRun, type Step, type StepResult } from "./memory-run.ts"
import { profileStep } from "./profile-step.ts"
import type { ReflectionService } from "./reflection.ts"
import { settleCarried } from "./unjudged-turns.ts"
import { judgingKinds, messagesOfBatch, placeOf, staysDone, waitingTurns } from "./waiting-turns.ts"

/** The most missing vectors that one job adds. */
const embeddedAtOnce = 64

/** Runs the steps without a final receipt, for the job's turn and the turns before it that wait to be judged together. Throws `background` if a step must be tried again. */
export async function runMemoryJob(options: MemoryJobOptions, job: Job, context: JobContext): Promise<void> {
  const { receipts } = options
  const isAgain = job.payload.again === true
  const batchTurns = turnsOfBatch(options, job.key)
  const isEnd = (numberOf(job.payload.turn) + 1) % batchTurns === 0
  const looking = lookingBack(context)
  // The turn's own words are among the messages that the last turn of a batch looks at.
  if (isEnd && !isAgain)
    await looking.messages({ beforeMs: momentBehind(job.payload.untilMs), limit: messagesOfBatch(batchTurns) })
  const words = await wordsOfTurn(job, looking)
  if (words === undefined) return
  const mayWait = !isAgain && !isEnd && (await isFollowed(job, context))
  const known = mayWait || isAgain ? await receipts.ofTurn(job.turnId, job.key) : []
  // A turn whose judgement has begun and failed is no part of a later batch: this job goes on with it.
  const isWaiting = mayWait && !known.some(({ kind }) => judgingKinds.includes(kind))
  const { waiting, own } =
    isWaiting || isAgain ? { waiting: [], own: known } : await waitingTurns(job, { context: looking, receipts, batchTurns })
  const done = isAgain ? own.filter(staysDone) : own
  const { forgot, off } = job.payload
  if (off && waiting.length === 0) return
  const turns = forgot || off ? waiting : [...waiting, { ...words, isCarried: isAgain }]
  const before = done.find(({ kind }) => judgingKinds.includes(kind))
  const isSecond = before?.outcome === "parse-error" || before?.value?.left !== undefined
  const fresh = isSecond && !isAgain ? turns.filter(({ isCarried }) => !isCarried) : turns
  const left = fresh.length === 0 ? [] : turns.filter((turn) => !fresh.includes(turn))
  const run = new MemoryRun(options, { job, context, looking, turns: fresh.length === 0 ? turns : fresh, left }, done)
  try {
    await useStep(run)
    if (forgot && waiting.length === 0) {
      await run.step("store", async () => ({ outcome: "skipped", message: "something was forgotten in this turn" }))
    } else if (isWaiting) {
      const value = { ...placeOf(words) }
      await run.step("batch", async () => ({ outcome: "ok", message: "waits to be judged with later turns", value }))
    } else await runSteps(run)
    await run.flush()
  } catch (error) {
    if (run.isForgotten) return
    throw error
  }
  const failed = ["use", "importance", "profile", "store", "reflect", "documents", "tidy"].filter((kind) => !run.isSettled(kind))
  if (failed.length > 0) throw unfinished(run, failed)
}

/** Notes that the memories in the turn's prompts were used, so that they are forgotten more slowly. */
async function useStep(run: MemoryRun): Promise<void> {
  const { memory } = run.options
  const { recalled, fromMs } = run.job.payload
  if (!memory?.used || !Array.isArray(recalled) || typeof fromMs !== "number") return
  const said = { outcome: "ok", message: `recalled memories in the prompt: ${recalled.length}` } as const
  await run.step("use", async ({ signal }) => {
    if (run.isTogether) return { work: { used: { ids: recalled, atMs: fromMs } }, resultOf: () => said }
    await run.expectWanted(signal)
    await memory.used?.(recalled, run.key, { atMs: fromMs })
    return said
  })
}

async function runSteps(run: MemoryRun): Promise<void> {
  const { memory, userProfile, reflection } = run.options
  if (memory) await run.step("importance", importanceStep)
  if (userProfile) await run.step("profile", (step) => profileStep(step, userProfile))
  if (run.context.isLast || judgingKinds.every((kind) => run.isSettled(kind))) await settleCarried(run, runSteps)
  if (!memory) return
  if (!run.isSettled("importance") && !run.context.isLast) return
  const { outcome = "ok", value } = run.receipts.get("importance") ?? {}
  // Words without a judgement are not stored. They wait, or stand as failed.
  if (isBadOutcome(outcome) && value?.importance === undefined) return documentSteps(run)
  await run.step("store", (step) => storeStep(step, memory))
  const isDue = reflection === undefined || !run.isTogether || (await reflectLater(run, reflection))
  await run.flush()
  if (reflection && isDue && hasStored(run)) await run.step("reflect", (step) => reflectStep(step, memory, reflection))
  if (memory.embedMissing && hasStored(run)) await run.step("embed", embedStep)
  await documentSteps(run)
}

const notDue = { outcome: "skipped", message: "not due" } as const

/** True if a reflection is due once the step `store` is written, which it reads. If none is, its receipt is written with the others. */
async function reflectLater(run: MemoryRun, reflection: ReflectionService): Promise<boolean> {
  let isDue = false
  const isNew = ({ memories }: WorkOutcome): boolean => hasStored(run) || memories.some(({ stored }) => stored)
  await run.step("reflect", async () => {
    isDue = await reflection.due(run.key, { adding: run.adding })
    return { work: {}, resultOf: (outcome) => (!isDue && isNew(outcome) ? notDue : undefined) }
  })
  return isDue
}

const hasStored = (run: MemoryRun): boolean => Number(run.receipts.get("store")?.value?.stored ?? 0) > 0

/** Writes documents once all that is to stand in them is known, and tidies them. */
async function documentSteps(run: MemoryRun): Promise<void> {
  const { documents } = run.options
  const isKnown = ["importance", "profile", "store", "reflect"].every((kind) => run.isSettled(kind))
  if (documents === undefined || !(isKnown || run.context.isLast)) return
  await run.step("documents", (step) => documentStep(step, documents))
  if (run.isSettled("documents")) await run.step("tidy", (step) => tidyStep(step, documents))
}

/** Reflects at a moment of the schedule, without a turn (T36). The job is the last one of its conversation. */
export async function reflectOnSchedule(options: MemoryJobOptions, job: Job, context: JobContext): Promise<void> {
  const { memory, reflection } = options
  const words = await wordsOfTurn(job, context)
  if (words === undefined || !memory || !reflection || !(await reflection.due(job.key))) return
  const run = new MemoryRun(options, { job, context, turns: [words] }, [])
  const kind = `reflect ${new Date(Number(job.payload.scheduledMs)).toISOString()}`
  await run.step(kind, (step) => reflectStep(step, memory, reflection))
  const { documents } = options
  if (documents && run.isSettled(kind))
    await run.step(kind.replace("reflect", "documents"), (step) => documentStep(step, documents, true))
}

async function embedStep({ run: { options, key }, signal }: Step): Promise<StepResult> {
  const count = (await options.memory?.embedMissing?.(key, { limit: embeddedAtOnce, signal })) ?? 0
  return { outcome: count > 0 ? "ok" : "empty", message: `vectors: ${count}` }
}

function unfinished(run: MemoryRun, kinds: readonly string[]): PromptStrataError {
  const faults = kinds.map((kind) => `${kind}: ${run.receipts.get(kind)?.message ?? run.receipts.get(kind)?.outcome}`)
  const message = `The work after turn ${run.job.turnId} is not done: ${faults.join("; ")}`
  const after = run.context.isLast
    ? "This was the last attempt: the job is a dead letter now, kept to be looked at."
    : "It is tried again."
  const hint = `${after} The conversation itself is complete.`
  return new PromptStrataError("background", message, { hint, evidence: { kinds } })
}

/** Stores the messages of turns that are important enough (T31). The id of each memory is made from its turn, so it is stored once. */
async function storeStep({ run, signal }: Step, memory: RecordedMemoryService): Promise<StepResult | LaterResult> {
  const { importance, keys = {} } = run.receipts.get("importance")?.value ?? {}
  const { importanceThreshold } = run.options.settings
  if (typeof importance !== "number") return { outcome: "skipped", message: "the importance was not judged" }
  const { heard, left } = await run.heard()
  const memoriesIn = (turns: readonly TurnWords[]) => turns.flatMap((turn) => memoriesOf(turn, importance, keys as LineKeys))
  const isKept = (each: NewMemory): boolean => (each.importance ?? 0) >= importanceThreshold
  const others = memoriesIn(heard).filter(isKept)
  const all = memoriesIn([...heard, ...run.turns])
  const given = all.filter(isKept)
  if (importance < importanceThreshold && given.length === 0)
    return { outcome: "skipped", message: `importance ${importance} is below ${importanceThreshold}`, value: { stored: 0 } }
  const wanted = given.map((each, at) => {
    // What was heard belongs to whoever said it.
    const key = at < others.length ? { ...run.key, user: each.speaker.id } : run.key
    const isLater = at >= others.length && each.turnId !== run.job.turnId
    return { key, memory: isLater ? { ...each, judgedIn: run.job.turnId } : each }
  })
  const said = [...heard, ...run.turns].reduce((sum, { messages }) => sum + messages.length, 0)
  const resultOf = (kept: readonly Pick<RememberResult, "status" | "id" | "updates">[]) =>
    storeResult(kept, { bare: said - all.length, low: all.length - given.length, left })
  if (run.isTogether && memory.plan) {
    const memories = await memory.plan(wanted)
    const statusOf = (isStored: boolean | undefined) => (isStored ? "stored" : "duplicate")
    return {
      work: { memories },
      resultOf: (outcome) =>
        resultOf(
          memories.map(({ memory: { id, updates } }, at) => {
            const kept = outcome.memories[at]
            return { id: kept?.id ?? id, status: statusOf(kept?.stored), updates: kept?.stored ? updates : undefined }
          }),
        ),
    }
  }
  const kept: RememberResult[] = []
  for (const { memory: made, key } of wanted) {
    await run.expectWanted(signal)
    kept.push(await memory.remember(made, key, { ofTurn: true }))
  }
  return resultOf(kept)
}

/** The result for memories that were kept. `bare` and `low` messages were not, and of those that were heard, `left` were passed over. */
function storeResult(kept: readonly RememberResult[], count: Readonly<Record<"bare" | "low" | "left", number>>): StepResult {
  const { bare, low, left } = count
  const stored = kept.filter(({ status }) => status === "stored").length
  const duplicates = kept.length - stored
  const newer = kept.flatMap(({ id, updates = [] }) => updates.map((earlier) => `${id} tells anew what ${earlier} told`))
  const known = duplicates === 0 ? "" : `, ${duplicates} known`
  const short = bare === 0 ? "" : `, ${bare} too short to mean anything by itself`
  const less = low === 0 ? "" : `, ${low} of no importance`
  const over = left === 0 ? "" : `, ${left} heard passed over`
  const message = [`${stored} stored${known}${short}${less}${over}`, ...newer].join("; ")
  return { outcome: stored > 0 ? "ok" : "empty", message, value: { stored, duplicates } }
}

/** Keys by the ids of the memories that they are of. */
type LineKeys = Readonly<Record<string, MemoryKeys>>

/** The memories of a turn's messages, each with its own importance where its keys say one. */
function memoriesOf({ turnId, turn, untrusted, messages }: TurnWords, importance: number, keysOf: LineKeys): NewMemory[] {
  return messages.flatMap(({ role, text, speaker, atMs }, at) => {
    if (role === "assistant" ? isBare(withoutName(text, speaker)) : isNod(text)) return []
    const id = memoryId(turnId, at)
    const keys = keysOf[id]
    return {
      id,
      kind: "dialogue" as const,
      text,
      speaker,
      atMs,
      turnId,
      turn,
      importance: keys?.importance ?? importance,
      ...(keys && { keys }),
      ...(untrusted && { untrusted }),
    }
  })
}

/** An answer of so many letters, such as `好` or `OK!`, says nothing without its question. A number may. */
const maxBareLetters = 3
const letters = lazyPattern(String.raw`\p{L}`, "gu")
const digit = lazyPattern(String.raw`\p{N}`, "u")

function isBare(text: string): boolean {
  return !digit().test(text) && (text.match(letters())?.length ?? 0) <= maxBareLetters
}

/** An answer without the name of its speaker before it, as in `Fay：好`. */
function withoutName(text: string, { name }: StoredMemory["speaker"]): string {
  const said = text.trimStart()
  const rest = said.startsWith(name) ? said.slice(name.length).trimStart() : ""
  return rest.startsWith(":") || rest.startsWith("：") ? rest : text
}

const nod =
  /^(?:[嗯恩唔哦噢喔啊呀哎诶唉呃额哈嘿呵嘻好行对是的了吧]+|o?k+|okay|ye(?:s|ah|p)|nope?|h+m+|m+h?m*|[uoa]+h+|(?:ha|he|hi)+)$/i

/** True for words of the user that only show that somebody listens, such as `嗯`, and for text without a letter or digit. Other short words may be what was asked for, such as a name. */
function isNod(text: string): boolean {
  const said = text.match(letters())?.join("") ?? ""
  return !digit().test(text) && (said === "" || nod.test(said))
}

/** Reflects on recent memories if that is due (T36), and stores the insights with the ids of the memories they rest on. */
async function reflectStep(
  { run, ask, signal }: Step,
  memory: MemoryService,
  reflection: ReflectionService,
): Promise<StepResult> {
  if (!(await reflection.due(run.key))) return notDue
  const most = Math.max(run.options.settings.reflectOn, run.batchInsights?.memories.length ?? 0)
  // Insights are left out, or they would be drawn from each other.
  const recent = (await memory.recent(run.key, most * 2)).filter(({ kind }) => kind !== "insight").slice(-most)
  if (recent.length === 0) return { outcome: "skipped", message: "no memories" }
  const { memories: shown = recent, ask: asking = ask } = run.batchInsights ?? {}
  const insights = await reflection.reflect(shown, run.key, { signal, ask: asking })
  const known = new Map(recent.map((each) => [each.id, each]))
  let stored = 0
  for (const [at, { text, sources }] of insights.entries()) {
    const rests = sources?.flatMap((id) => known.get(id) ?? []) ?? recent
    if (text.trim() === "" || rests.length === 0) continue
    await run.expectWanted(signal)
    const { status } = await memory.remember(insightOf(run, { text, rests, at }), run.key, { ofTurn: true })
    if (status === "stored") stored++
  }
  return { outcome: stored > 0 ? "ok" : "empty", message: counted(stored, "insight"), value: { insights: stored } }
}

function insightOf(run: MemoryRun, { text, rests, at }: { text: string; rests: readonly StoredMemory[]; at: number }) {
  const { job, options, turns } = run
  const { scheduledMs } = job.payload
  const importance = Math.max(...rests.map((memory) => memory.importance ?? 0))
  return {
    id: [job.turnId, "insight", ...(typeof scheduledMs === "number" ? [scheduledMs] : []), at].join(":"),
    kind: "insight" as const,
    text,
    speaker: { id: job.key.agent, name: options.agentName },
    atMs: options.ports.clock.nowMs(),
    turnId: job.turnId,
    turn: turns.at(-1)?.turn ?? 0,
    importance,
    sources: rests.map(({ id }) => id),
    ...(rests.some(({ untrusted }) => untrusted === true) && { untrusted: true as const }),
  }
}
