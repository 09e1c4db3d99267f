import { assembleInjections } from "../assemble/assemble.ts"
import { PromptStrataError } from "../core/errors.ts"
import type { Ports } from "../core/ports.ts"
import type { Assembly } from "../core/span.ts"
import { type Injection, isText, type SlotValue } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import { addUsage, type LanguageModel, type Usage } from "../model/language-model.ts"
import type { TimeLimits } from "../profile/profile.ts"
import { stripThinking } from "../reply/thinking.ts"
import type { AskModel } from "../services/background/background-job.ts"
import { oneSystemMessage, readModel } from "./read-model.ts"

/** What {@link createAskModel} is made from. */
export interface AskModelOptions {
  /** Tried in order; the next where one fails. */
  readonly models: readonly [LanguageModel, ...LanguageModel[]]
  readonly dialect: Dialect
  readonly limits: TimeLimits
  readonly ports: Pick<Ports, "clock" | "timers" | "counter">
  /** Tokens that a request may have. */
  readonly budgetTokens?: number
}

/**
 * Asks a model with a background prompt of the dialect, through the same assembly as a turn, so with provenance, encoders and a
 * budget. The answer comes without thinking. Throws what the last model failed with.
 */
export function createAskModel(options: AskModelOptions): AskModel {
  return async (prompt, injections, { signal }) => {
    for (const [at, model] of options.models.entries()) {
      try {
        return await askOne(options, model, { prompt, injections, signal })
      } catch (error) {
        const isModels = PromptStrataError.isInstance(error) && (error.code === "model" || error.code === "model-stall")
        if (signal.aborted || !isModels || at === options.models.length - 1) throw error
      }
    }
    throw new PromptStrataError("model", "expected a model to ask, found none.")
  }
}

interface Question {
  readonly prompt: string
  readonly injections: readonly Injection[]
  readonly signal: AbortSignal
}

async function askOne(
  { dialect, limits, ports, budgetTokens }: AskModelOptions,
  model: LanguageModel,
  { prompt, injections, signal }: Question,
): Promise<{ readonly text: string; readonly model: string; readonly usage?: Usage; readonly assembly: Assembly }> {
  const { capabilities } = model
  const assembly = assembleInjections(injections, {
    dialect: dialectWith(prompt, dialect),
    prompt,
    developerRole: capabilities.developerRole,
    counter: ports.counter,
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
  })
  const messages = capabilities.severalSystemMessages === false ? oneSystemMessage(assembly.messages) : assembly.messages
  const facts = {
    prompt,
    background: true as const,
    question: wordsOf(injections),
    speaker: "",
    tools: [],
    runs: [],
    prestart: [],
    memories: [],
  }
  const output: string[] = []
  let usage: Usage | undefined
  await readModel(
    model,
    { messages, assembly, facts },
    {
      signal,
      limits,
      clock: ports.clock,
      timers: ports.timers,
      onPart(part) {
        if (part.type === "text-delta") output.push(part.delta)
        if (part.type === "usage") usage = addUsage(usage ?? {}, part.usage)
      },
    },
  )
  const text = stripThinking(output.join(""), { opensInThought: capabilities.opensInThought ?? false })
  return { text, model: model.id, assembly, ...(usage === undefined ? {} : { usage }) }
}

/** A dialect of somebody's own may have no background prompts: then a shipped one's are asked, in its language. */
function dialectWith(prompt: string, dialect: Dialect): Dialect {
  return dialect.files.has(prompt) ? dialect : shippedDialect("layered", dialect.locale)
}

/** What users said, for models that are code. */
function wordsOf(injections: readonly Injection[]): string {
  return injections.flatMap(({ content }) => userTexts(content)).join("\n")
}

function userTexts(value: SlotValue): readonly string[] {
  if (typeof value === "string" || typeof value === "boolean") return []
  if (isText(value)) return value.trust === "user" ? [value.text] : []
  return value.flatMap((entry) => (entry.text === undefined ? [] : userTexts(entry.text)))
}
