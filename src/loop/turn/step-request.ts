import { toldApart } from "../../core/conversation.ts"
import { invariant } from "../../core/errors.ts"
import { late } from "../../core/late.ts"
import { withMembers } from "../../core/lazy-pattern.ts"
import { authored, memoKind } from "../../core/memo.ts"
import type { LanguageModel, ModelRequest, ModelTool, ToolChoice } from "../../core/model/language-model.ts"
import type { CountedTool } from "../../core/ports.ts"
import type { Assembly, Message } from "../../core/span.ts"
import { defined } from "../../core/value.ts"
import { assembleRequest, isUnlimited } from "../../prompt/assemble/assemble-request.ts"
import { memoOf } from "../../prompt/assemble/assembler.ts"
import { displaced, reserved } from "../../prompt/assemble/decide.ts"
import { type CombinedInjections, combineInjections } from "../../prompt/layers/combine-injections.ts"
import { knownNames } from "../../prompt/layers/turn-injections.ts"
import type { TurnState, WakeReason } from "../../prompt/layers/turn-state.ts"
import type { JsonSchema } from "../../prompt/tools/tool.ts"
import { loadCalls } from "./calls/load-calls.ts"
import type { TurnContext } from "./turn-context.ts"
import { fileFaultsOf, isAtWork, warnOnce } from "./turn-outcome.ts"

const nothing: JsonSchema = { type: "null" }
const words: JsonSchema = { anyOf: [{ type: "string" }, nothing] }

/**
 * The JSON Schema of a decision. Members that a decision does not need are null, since a strict mode lets none be left out. A model writes
 * them in this order: the message comes first, so that it streams as soon as the action is known.
 */
function decisionSchema({ progress }: TurnContext): JsonSchema {
  const tools = progress.tools.plannerTools
  const names = tools.map(({ name }) => name)
  const calls = {
    tool: { anyOf: [{ type: "string", enum: names }, nothing] },
    args: { anyOf: [...tools.map(argumentsOf), nothing] },
  }
  const properties = {
    action: { type: "string", enum: tools.length > 0 ? ["tool", "finish"] : ["finish"] },
    message: words,
    ...(progress.output ? { note: words } : {}),
    ...(tools.length > 0 ? calls : {}),
  }
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false }
}

/** The schema of a tool's arguments. One with references is any object, because its references begin at its own root. */
function argumentsOf({ inputSchema }: { readonly inputSchema: JsonSchema }): JsonSchema {
  return JSON.stringify(inputSchema).includes('"$ref"') ? { type: "object" } : inputSchema
}

/** Words of the planner's last step that later requests show. */
export interface PlannerWords {
  /** The reason why the planner's last output could not be used (T21), as a sentence of the dialect. */
  readonly fault?: string | undefined
  /** The planner's advice for the final output (T12). */
  readonly note?: string | undefined
}

/** The prompt of a step, and the tools that come with it. */
export interface StepRequest extends PlannerWords {
  /** A prompt file of the dialect. */
  readonly prompt: string
  /** Tools that the model may call natively. */
  readonly tools?: readonly ModelTool[] | undefined
  readonly toolChoice?: ToolChoice | undefined
}

/**
 * Assembles the request of a step. The first step of a turn decides what is cut, and later steps cut the same, so that their requests
 * begin with the same text. Tool runs of earlier turns become shorter while messages of history would be cut (T29). What was added to
 * the session's stack meanwhile joins. Warns of what was cut or cleaned.
 */
export async function assembleStep(turn: TurnContext, request: StepRequest, model: LanguageModel): Promise<Assembly> {
  const { prompt, tools } = request
  const { agent, assembler, progress, budgetTokens, reserveTokens } = turn
  const { markerId } = turn.session
  const dialect = markerId ? (await loadCalls()).withSessionMarkers(agent.dialect, markerId, memoOf(assembler)) : agent.dialect
  turn.stack.update()
  const [history, lore] = [progress.shownHistory, progress.cut ? [] : progress.hooks.lore]
  const { fitting, speakers } = progress
  const bounds = (!progress.cut && fitting?.oldRunBounds(turn)) || []
  const histories = (!progress.cut && progress.shown?.fewerAndFewer(turn, model)) || [history]
  let assembly: Assembly
  let given: CombinedInjections
  let [fewer, attempt] = [0, 0]
  for (;;) {
    const maxTokens = bounds[attempt]
    const shown = histories[fewer] ?? history
    const ofRuns = maxTokens === undefined ? undefined : { maxTokens, mostTokens: bounds[0] ?? 0, agent }
    progress.shownHistory = (ofRuns && fitting?.fitOldRuns(shown, ofRuns)) ?? shown
    const state = stateOf(turn, request, model)
    given = combineInjections(turn.stack, state, { dialect, memo: memoOf(assembler) })
    const limits = { budgetTokens, cut: progress.cut }
    const fit = isUnlimited(given.injections, limits) ? undefined : (await loadFitting()).fit
    assembly = assembleRequest(given.injections, {
      ...{ assembler, dialect, prompt, reserved: given.reserved, developerRole: model.capabilities.developerRole === true },
      ...{ names: knownNames(state, speakers?.names), looks: speakers?.looks, counter: agent.ports.counter },
      ...{ ...limits, fit, tools: tools && countedTools(tools) },
      history: agent.profile.history.window === "fill" ? { reserveTokens, lowWater: 1 } : { reserveTokens },
    })
    if (assembly.cut.history === undefined) break
    // Pictures give way first, then tool runs, then words.
    if (fewer + 1 < histories.length) fewer++
    else if (++attempt >= bounds.length) break
  }
  if (fitting) assembly = fitting.withOldRunsTold(assembly, progress.shownHistory)
  if (lore.length > 0) assembly = withMembers(assembly, { lore })
  progress.cut = assembly.cut
  warnOfCuts(turn, assembly, given)
  progress.shown?.warnOfUnseen(turn, model)
  return assembly
}

/** Loads the code that fits a request, with the first one that has a limit. */
const loadFitting = late(() => import("../../prompt/assemble/fit/fit.ts"))

/** The form in which a list of native tools is counted. */
const countedForm = memoKind<readonly ModelTool[], readonly CountedTool[]>()

function countedTools(tools: readonly ModelTool[]): readonly CountedTool[] {
  return authored.made(countedForm, tools, () =>
    Object.freeze(tools.map(({ inputSchema, ...tool }) => ({ ...tool, parameters: inputSchema }))),
  )
}

function warnOfCuts(turn: TurnContext, assembly: Assembly, { hides }: CombinedInjections): void {
  const { prefixMoved, sanitised } = assembly
  if (prefixMoved) {
    const { key, reason } = prefixMoved
    warnOnce(turn, "budget", key, `The beginning of the request changed in this turn: ${key} was cut, ${reason}.`)
  }
  // Decisions are made when they are read, which is seldom needed here.
  for (const { key, reason } of hides ? assembly.decisions : []) {
    if ((reason !== displaced && reason !== reserved) || !turn.stack.get(key)) continue
    const what = `The item ${JSON.stringify(key)} of the stack is not in the prompt: the turn itself fills this key. Add it under another key.`
    warnOnce(turn, "hook", key, what)
  }
  for (const { key, removed, kinds } of sanitised) {
    warnOnce(turn, "sanitised", key, `Invisible or control characters were left out of ${key}: ${removed} (${kinds.join(", ")}).`)
  }
}

export function requestOf(
  turn: TurnContext,
  { prompt, tools, toolChoice }: StepRequest,
  { model, assembly }: { readonly model: LanguageModel; readonly assembly: Assembly },
): ModelRequest {
  const { agent, input, progress } = turn
  const schema = progress.output && { schema: progress.output.jsonSchema }
  const { temperature, maxOutputTokens } = agent.profile.model
  return {
    messages: model.capabilities.severalSystemMessages === false ? oneSystemMessage(assembly.messages) : assembly.messages,
    assembly,
    ...defined({
      temperature,
      maxOutputTokens,
      tools,
      toolChoice,
      responseFormat: prompt === "planner" ? decisionFormat(turn, model) : schema,
    }),
    facts: {
      prompt,
      question: turn.occasion,
      wake: input.wake === undefined ? undefined : true,
      speaker: input.speaker.name,
      tools: prompt === "planner" || prompt === "native" ? progress.tools.plannerTools : [],
      runs: progress.runs.map(({ tool, args, result, status }) => ({ tool, args, result, failed: status === "failed" })),
      prestart: progress.found.prestart,
      memories: progress.found.memories.map(({ text }) => text),
    },
  }
}

/** True if the model's provider holds a planner's decision to a schema, so that the prompt need not show its form (T52). */
export function keepsToSchema({ agent }: TurnContext, prompt: string, model: LanguageModel): boolean {
  if (prompt !== "planner" || agent.profile.loop.responseFormat === "text") return false
  return model.capabilities.jsonSchema === true && !agent.schemaless.has(model)
}

/** The format that a planner's request asks for: the schema of its decision where the provider keeps to one, else JSON as the profile says. */
function decisionFormat(turn: TurnContext, model: LanguageModel): ModelRequest["responseFormat"] {
  const { responseFormat } = turn.agent.profile.loop
  if (keepsToSchema(turn, "planner", model)) return { schema: decisionSchema(turn) }
  return responseFormat === "json" || (responseFormat === "auto" && model.capabilities.jsonMode) ? "json" : "text"
}

/** Joins all system messages to the first one by blank lines, for models that accept only one. */
export function oneSystemMessage(messages: readonly Message[]): readonly Message[] {
  const system = messages.filter(({ role }) => role === "system")
  const first = messages.findIndex(({ role }) => role === "system")
  if (system.length < 2) return messages
  const joined: Message = { role: "system", content: system.map(({ content }) => content).join("\n\n") }
  return messages.flatMap((message, index) => (index === first ? [joined] : message.role === "system" ? [] : [message]))
}

/** The words that a turn shows. In a group, people of one name are told apart. */
function saidIn({ input, record, progress }: TurnContext): Pick<TurnState, "question" | "history"> {
  const { key, speaker, replyTo, mentions } = input
  const [question, history] = [{ speaker, text: progress.question, replyTo, mentions }, progress.shownHistory]
  if (key.audience !== "group") return { question, history }
  const spoke = (record?.history ?? []).flatMap((message) => (message.role === "user" ? [message.speaker] : []))
  const people = [...spoke, speaker, ...(mentions ?? [])]
  return { question: toldApart([question], people)[0] ?? question, history: toldApart(history, people) }
}

function stateOf(turn: TurnContext, { prompt, fault, note }: StepRequest, model: LanguageModel): TurnState {
  const { agent, input, session, progress } = turn
  const { profile } = agent
  return {
    ...saidIn(turn),
    wake: input.wake === undefined ? undefined : wakeOf(turn, input.wake),
    group: input.key.audience === "group",
    userName: profile.user.name,
    agentName: profile.agent.name,
    nativeCalls: prompt === "native",
    keepsToSchema: keepsToSchema(turn, prompt, model),
    atMs: turn.startedMs,
    timeZone: profile.timeZone,
    attachments: input.attachments,
    sight: progress.shown?.sightOf(model),
    fileFaults: fileFaultsOf(session.hooks),
    groupRules: profile.tools.rules,
    memories: progress.found.memories,
    prestart: progress.found.prestart,
    tools: progress.tools.plannerTools,
    memoryOn: session.memoryOn,
    runs: progress.runs.map((run) => {
      invariant(progress.fitting, "a tool ran, and what shortens its call is not loaded")
      return progress.fitting.withFittedArguments(run, turn)
    }),
    steps: progress.steps,
    ...{ note, fault },
  }
}

function wakeOf(turn: TurnContext, reason: string): WakeReason {
  return { reason, trust: turn.input.wakeTrust, bubbles: turn.agent.profile.output.bubbles, workMode: isAtWork(turn) }
}
