import type { HistoryMessage, Speaker } from "../../core/conversation.ts"
import { messageOf } from "../../core/errors.ts"
import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import type { Assembly } from "../../core/span.ts"
import { orAborted, within } from "../../core/timers.ts"
import type { CommittedTurn } from "../../memory/services/background/background-job.ts"
import { frozenJson } from "../../memory/services/store/frozen-json.ts"
import type { Job } from "../../memory/services/store/job-runner.ts"
import type { SessionCommit, SessionRecord } from "../../memory/services/store/session-store.ts"
import type { TurnHook } from "../../memory/services/turn-hook.ts"
import type { ContextSettings } from "../../profile/profile.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import type { Deadline } from "../turn/deadline.ts"
import { prepare, runTurn } from "../turn/run-turn.ts"
import { assembleStep } from "../turn/step-request.ts"
import type { AgentContext, ObservedTurn, TurnContext, TurnInput } from "../turn/turn-context.ts"
import { fail } from "../turn/turn-outcome.ts"
import { createTurnContext, type TurnBeginning } from "./create-turn-context.ts"
import { keepFailedTurn } from "./failed/failed-turn.ts"
import { unbegunTurn } from "./failed/unbegun-turn.ts"
import { commitError, findUnsettled, leaveUnsettled, unknownOutcome, unsettled } from "./failed/unsettled-commits.ts"
import { keptRuns, namedBytes } from "./kept-runs.ts"
import { readInput } from "./read-input.ts"
import { behindHeld, heldTurns } from "./second-thoughts/held-turns.ts"
import { emptyRecord, inputOf, maxMessages, type Said, sessionId } from "./session-state.ts"
import type { Arrival, Met, SessionAtRest } from "./turn.ts"

/**
 * Makes the input of a turn, now that its session was read, and reads its attachments. Of a message that has to wait for an approval it
 * says how long, until it looks again.
 */
export async function beginTurn(
  rest: SessionAtRest,
  turn: ObservedTurn,
  { makeInput, replace, arrival, deadline }: Met & { readonly deadline: Deadline },
): Promise<{ readonly record: SessionRecord | undefined } | { readonly waitMs: number }> {
  const { kept, attachments: readBefore } = turn.input
  const at = kept || unsettled.get(rest.stack)?.size ? await whole(rest) : rest
  const { agent, record } = at
  const given = makeInput(turn.input.turnId, record ?? emptyRecord)
  const said = kept ? { ...given, kept, attached: [], attachments: readBefore } : given
  const made = arrival ? (await import("./second-thoughts/merging.ts")).withJoined(said, arrival) : said
  const isOpen = record?.state.approval !== undefined
  const replaced = replace
    ? await replace(at)
    : isOpen
      ? (await import("./approval/answer-approval.ts")).besideOpen(at, made)
      : heldTurns.has(rest.stack) && !arrival
        ? behindHeld(agent, made)
        : undefined
  if (replaced && "waitMs" in replaced) {
    if (arrival) arrival.stage = "held"
    if (!kept) await (await import("./second-thoughts/left-words.ts")).keepWaiting(agent, turn, { input: said, ...deadline })
    return replaced
  }
  deadline.signal.throwIfAborted()
  const input: TurnInput = { ...made, ...replaced?.input }
  turn.input = input.attached.length === 0 ? input : await readInput(agent, input, deadline)
  const begun = replaced?.record ?? record
  let isLeft = input.kept !== undefined
  const { history = [] } = begun ?? {}
  // No slice, which takes long on a frozen list.
  for (let at = Math.max(0, history.length - 2 * maxMessages); at < history.length; at++)
    isLeft ||= history[at]?.toAnswer === true
  const mayAnswer = isLeft && input.wake === undefined && !input.resumes
  return mayAnswer ? (await import("./second-thoughts/left-words.ts")).withLeft(agent, turn, begun) : { record: begun }
}

/** A session with its whole history: the messages of a turn whose outcome is unknown, and words that waited, can stand anywhere in it. */
async function whole(at: SessionAtRest): Promise<SessionAtRest> {
  return { ...at, record: await orAborted(at.agent.store.load(at.key), at.signal) }
}

/**
 * Runs one turn of a session: the loop, then its one commit, then, in the background, the hooks that follow, in their order and one
 * turn of a session after the other. Nothing is committed unless there is an answer; of a failed turn the words are kept (T20). Never
 * rejects.
 */
export async function runSessionTurn(
  agent: AgentContext,
  input: TurnInput,
  begin: TurnBeginning & Pick<Met, "arrival">,
): Promise<TurnResult> {
  const { arrival } = begin
  const merging = arrival && (await import("./second-thoughts/merging.ts"))
  if (merging && arrival.joinedTo) {
    const ended = unbegunTurn(agent, input, { thrown: undefined, emit: begin.emit })
    return merging.endJoined(agent, input, { arrival, ended })
  }
  if (unsettled.has(input.stack)) findUnsettled(input.stack, begin.record)
  const turn = createTurnContext(agent, input, merging ? merging.followed(arrival, begin) : begin)
  const result = await runTurn(turn)
  let committed = result.ok ? await commitTurn(turn, result, arrival) : result
  if (!committed.ok && merging && arrival.joinedTo)
    committed = await merging.endJoined(agent, input, { arrival, ended: committed })
  else if (!committed.ok && agent.profile.history.keepFailed) await keepFailedTurn(turn, committed, result.ok)
  // What this turn had for itself belongs to the one that answers its words.
  if (arrival?.stage !== "joined") input.stack.endTurn(turn.stack)
  for (const hook of agent.hooks) {
    // The member is not read here, because a getter that throws is a failure of the hook too.
    if ("afterTurn" in hook) void agent.background.enqueue(sessionId(input.key), () => runHook(turn, hook, committed))
  }
  return committed
}

/** Returns the request that a turn would begin with. No model is called. */
export async function previewTurn(
  rest: SessionAtRest,
  { inject, ...said }: Said & Pick<TurnInput, "inject">,
  { prompt, deadline }: Pick<TurnBeginning, "deadline"> & { readonly prompt: string },
): Promise<Assembly> {
  const { agent, key, stack, record } = unsettled.get(rest.stack)?.size ? await whole(rest) : rest
  if (unsettled.has(stack)) findUnsettled(stack, record)
  const input = { ...inputOf(agent, { key, stack }, { ...said, record: record ?? emptyRecord }), inject }
  const begin = { record, deadline, emit: () => undefined }
  const turn = createTurnContext(agent, await readInput(agent, input, deadline), begin)
  await prepare(turn)
  return assembleStep(turn, { prompt }, agent.models[0])
}

type Answered = TurnResult & { readonly ok: true }

/**
 * Writes a turn to the store, once: its messages, the session's state and the jobs that follow. If the write fails, the turn has
 * failed. If the turn is stopped meanwhile, it has failed too, and its error says that the outcome is unknown.
 */
async function commitTurn(turn: TurnContext, result: Answered, arrival: Arrival | undefined): Promise<TurnResult> {
  const { agent, input, stack, signal } = turn
  let writing: Promise<{ readonly version: number }> | undefined
  let commit: SessionCommit | undefined
  try {
    signal.throwIfAborted()
    if (arrival) arrival.stage = "storing"
    for (const bytes of input.bytes?.values() ?? []) await orAborted(agent.blobs.put(bytes, input.key), signal)
    commit = commitOf(turn, result)
    if (input.resumes || result.stopReason === "awaiting-approval")
      commit = await (await import("./approval/waiting-commit.ts")).waitingCommit(turn, result, commit)
    if (turn.progress.made.bytes.size > 0)
      for (const bytes of namedBytes(turn.progress.made.bytes, [commit.append, commit.state]))
        await orAborted(agent.blobs.put(bytes, input.key), signal)
    writing = agent.store.commit(input.key, commit)
    const { version } = await orAborted(writing, signal)
    input.stack.merge(stack)
    turn.emit({ type: "commit", version })
    return result
  } catch (thrown) {
    if (!commit || !writing || !signal.aborted || thrown !== signal.reason) return fail(turn, commitError(thrown))
    leaveUnsettled(turn, commit, writing)
    return fail(turn, unknownOutcome(signal.reason))
  }
}

function commitOf(turn: TurnContext, result: Answered): SessionCommit {
  const { agent, input, record, session, stack, progress } = turn
  const { replaces } = input
  const taken = [...(replaces?.taken ?? []), ...progress.takenNotes]
  const append = spokenMessages(turn, result)
  return {
    expectVersion: record?.version ?? 0,
    append,
    state: {
      ...record?.state,
      turns: session.turns + 1,
      stack: stack.items("session"),
      ...(session.markerId === undefined ? {} : { markerId: session.markerId }),
      ...(progress.hookStates.size > 0 ? { hooks: Object.fromEntries(progress.hookStates) } : {}),
    },
    jobs: agent.jobs.length === 0 ? [] : jobsAfter(agent, committedTurn(turn, append)),
    ...(taken.length > 0 ? { taken } : {}),
    ...(replaces === undefined ? {} : { after: replaces.after, keepHeard: true }),
  }
}

/**
 * The messages that enter history (T29): the user's with kept prestart results and tool runs, and the answer. Thinking and injections
 * never do. In a turn in which nobody spoke it is only the answer (R27).
 */
function spokenMessages(
  { agent, input, progress, startedMs }: TurnContext,
  { stopReason, text: shown }: Answered,
): HistoryMessage[] {
  const { profile, ports } = agent
  const { turnId, speaker, text, wake, attachments, replyTo, mentions = [], merged, kept: before } = input
  const self: Speaker = { id: input.key.agent, name: profile.agent.name }
  const answer: HistoryMessage = {
    role: "assistant",
    text: progress.answer.said,
    speaker: self,
    turnId,
    atMs: ports.clock.nowMs(),
    ...(stopReason === "truncated" ? { interrupted: true as const } : {}),
    ...(progress.made.files.length > 0 ? { attachments: progress.made.files } : {}),
  }
  // What a turn forgot stands in its own runs and memories too.
  const forgot = progress.records.some(({ kind }) => kind === "forget")
  const runs = progress.runs.length > 0 && !forgot ? keptRuns(progress, profile.history.toolRuns) : []
  const withRuns = runs.length > 0 ? { runs } : {}
  if (wake !== undefined) return shown.trim() === "" && !answer.attachments ? [] : [{ ...answer, unprompted: true, ...withRuns }]
  const answers = [...(merged?.turns ?? []), ...(before ? [before.turnId] : [])]
  if (before) return [{ ...answer, ...withRuns, answers, replyTo: { id: `${before.turnId}:0`, speaker } }]
  const recalled = progress.memories.length > 0 && !forgot ? keepRecalled(progress.memories, profile.context) : []
  const kept = {
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(replyTo ? { replyTo } : {}),
    ...(mentions.length > 0 ? { mentions } : {}),
    ...(progress.kept.length > 0 ? { prestart: progress.kept } : {}),
    ...(recalled.length > 0 ? { recalled } : {}),
    ...(answers.length > 0 ? { answers } : {}),
    ...withRuns,
  }
  return [{ role: "user", text, speaker, turnId, atMs: startedMs, ...kept }, answer]
}

/** The jobs that a turn about to be committed asks for, each with an id that begins with `id`. A job that throws is reported, and the turn goes on. */
export function jobsAfter(agent: AgentContext, turn: CommittedTurn, id = turn.turnId): readonly Job[] {
  const { key, turnId } = turn
  const jobs: Job[] = []
  for (const { kind, afterTurn } of agent.jobs) {
    try {
      const given = afterTurn?.(turn)
      if (given === undefined) continue
      const payload = frozenJson(given, "payload")
      jobs.push({ id: `${id}:${kind}`, kind, key, turnId, atMs: agent.ports.clock.nowMs(), payload })
    } catch (error) {
      agent.onWarning({ key, turnId, message: `The job ${kind} was not enqueued: ${messageOf(error)}` })
    }
  }
  return jobs
}

/** The turn as jobs see it: without tool results and recalled memories, so that nothing is learnt from injected context (T35). */
function committedTurn(turn: TurnContext, messages: readonly HistoryMessage[]): CommittedTurn {
  const { agent, input, session, progress } = turn
  const { runs, prestartRuns, tools, hookStates } = progress
  const spoken: HistoryMessage[] = []
  for (const { prestart: _, recalled: __, runs: ___, ...message } of messages) spoken.push(Object.freeze(message))
  let untrusted = false
  // True if a tool ran whose texts are not the author's own, such as one of an MCP server.
  for (const { tool } of [...runs, ...prestartRuns]) untrusted ||= tools.get(tool)?.trust === "tool"
  const cut = progress.cut?.memories
  // A cut leaves the first memories.
  const left = cut === undefined ? progress.memories.length : "entries" in cut ? cut.entries : 0
  const shown = agent.profile.context.off.includes("memories") ? [] : progress.memories.slice(0, left)
  return Object.freeze({
    key: Object.freeze({ ...input.key }),
    turnId: input.turnId,
    turn: session.turns,
    speaker: Object.freeze({ ...input.speaker }),
    memoryOn: session.memoryOn,
    memorySinceMs: session.memorySinceMs,
    messages: Object.freeze(spoken),
    recalled: shown.flatMap(({ id }) => id ?? []),
    untrusted,
    forgot: progress.records.some(({ kind }) => kind === "forget"),
    hookStates: Object.fromEntries(hookStates),
  })
}

/** The memories of a turn that history keeps: none, one line of each with at most `olderCharacters` UTF-16 units, or all. */
function keepRecalled(memories: readonly { readonly text: string }[], { older, olderCharacters }: ContextSettings): string[] {
  if (older === "drop") return []
  if (older === "keep") return memories.map(({ text }) => text)
  return memories.map(({ text }) => condense(text, olderCharacters)).filter((line) => line !== "")
}

function condense(text: string, characters: number): string {
  const line = text.split(/\s+/u).filter(Boolean).join(" ")
  if (line.length <= characters) return line
  return `${line.slice(0, graphemeBoundaryBefore(line, Math.max(0, characters - 1)))}…`
}

/** Runs a hook after a turn. One that throws, or takes longer than `limits.toolMs`, is reported, and the next one runs. */
async function runHook({ agent, input, session }: TurnContext, hook: TurnHook, result: TurnResult): Promise<void> {
  const { ports, profile, onWarning } = agent
  const { key, turnId, speaker, text, wake } = input
  // Copies, so that a hook that changes them changes nothing for the next hook or for the caller.
  const context = {
    key: { ...key },
    turnId,
    memoryOn: session.memoryOn,
    result: { ...result },
    speaker: { ...speaker },
    ...(wake === undefined ? {} : { wake }),
  }
  const timeoutMs = profile.limits.toolMs
  const outcome = await within({ timeoutMs, signal: new AbortController().signal, timers: ports.timers }, (signal) =>
    hook.afterTurn?.({ ...context, question: text, signal }),
  )
  if (outcome.status === "failed")
    onWarning({ key, turnId, message: `The hook ${hook.name} failed after the turn: ${messageOf(outcome.error)}` })
  if (outcome.status === "timeout")
    onWarning({ key, turnId, message: `The hook ${hook.name} took longer than ${timeoutMs} ms after the turn.` })
}
