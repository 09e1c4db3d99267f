import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { addUsage, type LanguageModel, type ModelRequest, type Usage } from "../../core/model/language-model.ts"
import type { Ports } from "../../core/ports.ts"
import type { Assembly } from "../../core/span.ts"
import { defined, type Injection, isText, type SlotValue } from "../../core/value.ts"
import type { AskModel } from "../../memory/services/background/background-job.ts"
import type { Profile } from "../../profile/profile.ts"
import { assembleInjections } from "../../prompt/assemble/assemble.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { dialectWith, loadDialect, shippedDialectNames } from "../../prompt/dialect/shipped.ts"
import { stripThinking } from "../../reply/thinking.ts"
import { estimateOf } from "../../trace/turn-spending.ts"
import { readModel } from "../turn/read-model.ts"
import { oneSystemMessage } from "../turn/step-request.ts"
import type { ProfileParts } from "../turn/turn-context.ts"

export interface AskModelOptions {
  /** Tried in order. The next one is asked if one fails. */
  readonly models: readonly [LanguageModel, ...LanguageModel[]]
  readonly dialect: Dialect
  /** Its time limits and its budget hold. */
  readonly profile: Pick<Profile, "limits" | "budget">
  readonly ports: Pick<Ports, "clock" | "timers" | "counter">
  readonly spending?: ProfileParts["spending"]
}

/**
 * Makes a function that asks a model with a background prompt of the dialect. The request is assembled like that of a turn, with
 * provenance, encoders and a budget. Thinking is removed from the answer. Throws the error of the last model.
 */
export function createAskModel(options: AskModelOptions): AskModel {
  return async (prompt, injections, { signal, key }) => {
    for (const [at, model] of options.models.entries()) {
      try {
        return await askOne(options, model, { prompt, injections, signal, key })
      } catch (error) {
        const isModels = PromptStrataError.isInstance(error) && (error.code === "model" || error.code === "model-stall")
        if (signal.aborted || !isModels || at === options.models.length - 1) throw error
      }
    }
    throw new PromptStrataError("model", "expected a model to ask, found none.", { hint: "Give createAgent at least one model." })
  }
}

/** A request with its source. */
export type AskRequest = ModelRequest & { readonly assembly: Assembly }

type Question = { readonly prompt: string; readonly injections: readonly Injection[] } & Parameters<AskModel>[2]

async function askOne(options: AskModelOptions, model: LanguageModel, question: Question): ReturnType<AskModel> {
  const request = await requestOf(options, model, question)
  const { output, thrown, ...used } = await sendRequest(options, model, { ...question, request })
  if (thrown !== undefined) throw thrown
  const text = stripThinking(output, { opensInThought: model.capabilities.opensInThought ?? false })
  return { text, model: model.id, assembly: request.assembly, ...used }
}

/**
 * Sends a request of background work once, if the day of the key's user has room for it; throws `spending-limit` if not. Resolves to what
 * came of its answer, with the error that ended it as `thrown`.
 */
export async function sendRequest(
  { profile, ports, ...options }: Pick<AskModelOptions, "profile" | "ports" | "spending">,
  model: LanguageModel,
  { request, signal, key }: Pick<Question, "signal" | "key"> & { readonly request: AskRequest },
) {
  const spending = key && (await options.spending?.())
  if (key) await spending?.expectRoom(key, model, request.assembly)
  signal.throwIfAborted()
  const output: string[] = []
  let usage: Usage | undefined
  const read = readModel(model, request, {
    ...{ signal, limits: profile.limits, clock: ports.clock, timers: ports.timers },
    onPart(part) {
      if (part.type === "text-delta") output.push(part.delta)
      if (part.type === "usage") usage = addUsage(usage ?? {}, part.usage)
    },
  })
  const thrown: unknown = await read.catch((error: unknown) => error)
  const step = {
    output: output.join(""),
    usage,
    error: thrown === undefined ? undefined : messageOf(thrown),
    assembly: request.assembly,
  }
  return { output: step.output, usage, estimate: spending && estimateOf(defined(step), ports.counter), thrown }
}

async function requestOf(
  { dialect, ports, profile }: AskModelOptions,
  { capabilities }: LanguageModel,
  { prompt, injections }: Question,
): Promise<AskRequest> {
  const { tokens, answerTokens } = profile.budget
  const assembly = assembleInjections(injections, {
    dialect: await dialectFor(prompt, dialect),
    prompt,
    developerRole: capabilities.developerRole === true,
    counter: ports.counter,
    budgetTokens: tokens === undefined ? undefined : Math.max(0, tokens - answerTokens),
  })
  const messages = capabilities.severalSystemMessages === false ? oneSystemMessage(assembly.messages) : assembly.messages
  // The texts of users, for a model that is code and reads no prompt.
  const question = injections.flatMap(({ content }) => userTexts(content)).join("\n")
  const facts = { question, speaker: "", tools: [], runs: [], prestart: [], memories: [] }
  return { messages, assembly, facts: { prompt, background: true, ...facts } }
}

/** The dialect, or the shipped one of its language if it lacks the prompt. A dialect of the user's own may have no background prompts. */
async function dialectFor(prompt: string, dialect: Dialect): Promise<Dialect> {
  if (dialect.files.has(prompt)) return dialect
  const name = shippedDialectNames().includes(dialect.name) ? dialect.name : "layered"
  return dialectWith(prompt, await loadDialect(name, dialect.locale, { background: true }))
}

function userTexts(value: SlotValue): readonly string[] {
  if (typeof value === "string" || typeof value === "boolean") return []
  if (isText(value)) return value.trust === "user" ? [value.text] : []
  return value.flatMap((entry) => (entry.text === undefined ? [] : userTexts(entry.text)))
}
