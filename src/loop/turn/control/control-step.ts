import { checkOptions, nearName } from "../../../core/check-options.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import type { LanguageModel, ToolChoice } from "../../../core/model/language-model.ts"
import type { ToolCall } from "../../../core/span.ts"
import { orAborted } from "../../../core/timers.ts"
import { priority } from "../../../core/value.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../../prompt/encode/inline.ts"
import type { ToolRun } from "../../../prompt/tools/tool.ts"
import { createToolSet, type ToolSet } from "../../../prompt/tools/tool-set.ts"
import type { Decision } from "../../../reply/decision.ts"
import { excerptOf } from "../../../reply/interpret-decision.ts"
import { type TurnContext, warn } from "../turn-context.ts"
import { warnOnce } from "../turn-outcome.ts"
import type { MaybePromise, StepControl, StepState } from "./step-control.ts"
import { StructuredAnswer } from "./structured-answer.ts"

/** The key of the item that tells the choice of calls in prompts for JSON decisions. */
const choiceKey = "tool_choice"

/** Prepares the next step as the caller wants it: its tools, its models and the calls that may be made. Throws `usage`. */
export async function controlStep(turn: TurnContext, control: StepControl, prompt: string): Promise<void> {
  const { progress, agent, stack } = turn
  const base = progress.step?.base ?? progress.tools
  const state = () => stepState(turn, { base, prompt })
  const change = (await called(turn, "prepareStep", () => control.prepareStep?.(state()))) ?? {}
  if (typeof change !== "object") throw unusable("prepareStep", "an object or undefined", change)
  checkOptions("prepareStep", change, { tools: true, model: true, toolChoice: true })
  const { tools: names, model, toolChoice: asked = control.toolChoice ?? "auto" } = change
  if (prompt === "chat") warnOfChat(turn, names, asked)
  const tools = chosenTools(base, names)
  const choice = change.toolChoice ?? openChoice(asked, progress.runs)
  checkChoice(choice, tools)
  if (model !== undefined) checkModel(model, prompt)
  progress.tools = tools
  progress.step = {
    base,
    models: model === undefined ? agent.models : [model, ...agent.models.filter((each) => each !== model)],
    choice,
    broken: choice === "auto" ? undefined : choiceNotice(turn, choice, true),
    mustCall: choice !== "auto" && choice !== "none",
    keptDecision: (decision) => keptTo(choice, decision),
    kept: (calls, nameOf) => keptCalls(turn, { choice, calls, nameOf }),
    stops: async () => (await called(turn, "stopWhen", () => control.stopWhen?.(state()))) === true,
  }
  if (control.output) {
    progress.output ??= new StructuredAnswer(turn, control.output)
    progress.output.tell(prompt)
  }
  // The turn's own choice is told in every step, so that the beginning of the request stays the same once the call was made.
  if (prompt === "planner" && asked !== "auto")
    stack.add({ key: choiceKey, content: choiceNotice(turn, asked, false), scope: "turn", priority: priority.toolInstructions })
  else stack.remove(choiceKey)
}

function stepState(turn: TurnContext, { base, prompt }: { readonly base: ToolSet; readonly prompt: string }): StepState {
  const { progress, agent, signal } = turn
  return {
    step: progress.log.steps.length + 1,
    prompt,
    runs: [...progress.runs],
    text: progress.answer.text,
    tools: base.plannerTools.map(({ name }) => name),
    model: agent.models[0].id,
    signal,
  }
}

/** Calls a function of the caller within the turn's time. If it throws, that is a mistake of the caller and ends the turn. */
async function called<T>(turn: TurnContext, name: string, call: () => MaybePromise<T>): Promise<T> {
  try {
    return await orAborted(Promise.resolve(call()), turn.signal)
  } catch (thrown) {
    turn.signal.throwIfAborted()
    throw new PromptStrataError("usage", `${name} failed: ${messageOf(thrown)}`, { cause: thrown })
  }
}

function chosenTools(base: ToolSet, names: readonly string[] | undefined): ToolSet {
  if (names === undefined) return base
  if (!Array.isArray(names)) throw unusable("`tools` of prepareStep", "a list of names", names)
  for (const name of names) requireTool(name, base, "`tools` of prepareStep")
  return createToolSet(base.tools.filter(({ name, visibility }) => visibility !== "planner" || names.includes(name)))
}

function requireTool(name: unknown, tools: ToolSet, of: string): void {
  if (typeof name === "string" && tools.plannerTool(name)) return
  const names = tools.plannerTools.map((tool) => tool.name)
  const near = nearName(String(name), names)
  throw new PromptStrataError("usage", `${of} names ${JSON.stringify(name)}, which is no tool of this step.${near}`, {
    evidence: { name: String(name) },
  })
}

/** The choice that is still open: a forced call is forced until it was made. */
function openChoice(choice: ToolChoice, runs: readonly ToolRun[]): ToolChoice {
  if (choice === "auto" || choice === "none") return choice
  const isMade = runs.some(
    ({ tool, failure }) =>
      failure !== "unknown-tool" && failure !== "invalid-arguments" && (choice === "required" || choice.tool === tool),
  )
  return isMade ? "auto" : choice
}

function checkChoice(choice: unknown, tools: ToolSet): void {
  if (choice === "auto" || choice === "none") return
  if (choice === "required") {
    if (tools.plannerTools.length > 0) return
    throw new PromptStrataError("usage", 'toolChoice is "required", but this step has no tools.')
  }
  if (typeof choice !== "object" || choice === null) throw unusable("toolChoice", "auto, none, required or { tool }", choice)
  checkOptions("toolChoice", choice, { tool: true })
  requireTool((choice as { readonly tool?: unknown }).tool, tools, "toolChoice")
}

function checkModel(model: LanguageModel, prompt: string): void {
  if (typeof model?.stream !== "function") throw unusable("`model` of prepareStep", "a model", model)
  if (prompt !== "native" || model.capabilities.tools) return
  throw new PromptStrataError("usage", `prepareStep names ${model.id}, which cannot call tools natively.`, {
    hint: 'Name a model that can, or set `loop.mode` to "json".',
  })
}

function unusable(of: string, expected: string, found: unknown): PromptStrataError {
  return new PromptStrataError("usage", `expected ${of} to be ${expected}, found ${JSON.stringify(found) ?? typeof found}.`)
}

function warnOfChat(turn: TurnContext, names: readonly string[] | undefined, choice: ToolChoice): void {
  if (names === undefined && (choice === "auto" || choice === "none")) return
  warnOnce(turn, "tool", choiceKey, "A profile in mode `chat` offers no tools, so the caller's choice of tools has no effect.")
}

/** The sentence of the dialect for a choice of calls; with `again`, for a decision that did not keep to it. */
function choiceNotice({ agent }: TurnContext, choice: ToolChoice, again: boolean): string {
  const tool = typeof choice === "object" ? encodeInline(choice.tool) : ""
  return renderNotice(agent.dialect, "tool-choice", { again, none: choice === "none", any: choice === "required", tool })
}

function keptCalls(
  turn: TurnContext,
  given: { readonly choice: ToolChoice; readonly calls: ToolCall[]; readonly nameOf: (native: string) => string },
): ToolCall[] {
  const { choice, calls, nameOf } = given
  if (choice === "auto") return calls
  if (choice === "none") {
    for (const { name } of calls)
      warn(turn, "model", `The model called ${nameOf(name)}, which \`toolChoice\` forbids; it was not run.`)
    return []
  }
  const isMade = choice === "required" ? calls.length > 0 : calls.some(({ name }) => nameOf(name) === choice.tool)
  if (!isMade) warn(turn, "model", "The model did not make the call that `toolChoice` asks for.")
  return calls
}

/** The decision if it keeps to a choice of calls; a call beside a message is then the call that was asked for. Else an unreadable one. */
function keptTo(choice: ToolChoice, decision: Decision): Decision {
  if (choice === "auto" || decision.action === "unreadable") return decision
  const call = decision.action === "tool" ? decision : decision.call
  const { status, ...said } = decision
  if (choice === "none") {
    if (decision.action === "finish" && call === undefined) return decision
    return { action: "unreadable", fault: { kind: "call-forbidden", excerpt: excerptOf(said) }, status: "malformed" }
  }
  if (call === undefined || (choice !== "required" && call.tool !== choice.tool))
    return { action: "unreadable", fault: { kind: "call-required", excerpt: excerptOf(said) }, status: "malformed" }
  if (decision.action === "tool") return decision
  const { message } = decision
  return { action: "tool", ...call, ...(message === undefined ? {} : { ignored: excerptOf({ message }) }), status }
}
