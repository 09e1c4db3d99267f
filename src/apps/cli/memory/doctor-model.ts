import { PromptStrataError } from "../../../core/errors.ts"
import type { LanguageModel, ModelPart, ModelRequest } from "../../../core/model/language-model.ts"
import { hostPorts } from "../../../core/ports.ts"
import { within } from "../../../core/timers.ts"
import { resolveProfile } from "../../../profile/resolve.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { calculateTool } from "../../../prompt/tools/builtin/calculate.ts"
import type { CliContext } from "../context.ts"
import { columnsOf, exitCodes, jsonLine } from "../io.ts"
import { openProfile } from "../open-agent.ts"
import type { CommonOptions } from "../options.ts"
import { storeWords } from "../words/command-words.ts"
import probes from "./doctor-model.json" with { type: "json" }
import { printColumns } from "./terminal-table.ts"

type Ask = (request: ModelRequest) => Promise<readonly ModelPart[]>

/**
 * Asks the server of a profile's model with four short requests if it does what a turn may ask of it, and prints that beside what turns use.
 * Resolves to the exit code: 1 if turns use what the server does not do.
 */
export async function doctorModel(options: CommonOptions & { readonly json?: boolean }, context: CliContext): Promise<number> {
  const { io, screen, chooseModel } = context
  const profile = await openProfile(options, context)
  const words = storeWords(profile.locale)
  const { model, demo } = chooseModel(profile, io.env)
  if (demo) screen.complain(words.noServer)
  if (demo) return exitCodes.failed
  const able = { ...profile.model, capabilities: probes.capabilities }
  const { model: tried } = chooseModel(resolveProfile({ ...profile, model: able }), io.env)
  const limits = { timeoutMs: profile.limits.stepMs, timers: context.ports?.timers ?? hostPorts.timers }
  const found = await findings((request) => partsOf(tried, request, limits), profile.locale)
  const { tools, attachments = [], jsonSchema = false, opensInThought = false } = model.capabilities
  const sees = attachments.some((type) => type.startsWith("image/"))
  const rows = Object.entries({ tools, attachments: sees, json_schema: jsonSchema, reasoning: opensInThought }).map(
    ([name, isUsed], at) => {
      const does = found[at]
      const value = name === "attachments" ? (does ? '["image/*"]' : "[]") : does
      const advice = does === undefined || does === isUsed ? "" : `[model.capabilities] ${name} = ${value}`
      return { name, does: does ?? null, isUsed, advice }
    },
  )
  const printed = (is: boolean | null): string => words.does[is === null ? "unclear" : is ? "yes" : "no"]
  const cells = rows.map(({ name, does, isUsed, advice }) => [name, printed(does), printed(isUsed), advice])
  const text = `${terminalLine(model.id)}\n${printColumns(words.modelColumns, cells, columnsOf(io.stdout))}`
  io.stdout.write(`${options.json ? jsonLine({ model: model.id, capabilities: rows }) : text}\n`)
  return rows.some(({ does, isUsed }) => isUsed && does === false) ? exitCodes.failed : exitCodes.ok
}

/**
 * Tools, pictures, a schema, and text that begins inside a thought: undefined for what is not clear. Throws the error of a server that
 * answers nothing at all, such as that of a wrong key.
 */
async function findings(ask: Ask, locale: string): Promise<readonly (boolean | undefined)[]> {
  const messages = [{ role: "user", content: probes.question } as const]
  const answerText = (parts: readonly ModelPart[]) => parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
  const plain = answerText(await ask({ messages }))
  /** A server refuses a request for what it does not do. */
  const orRefused = (request: ModelRequest) =>
    ask(request).catch((error: unknown) => {
      if (PromptStrataError.isInstance(error) && error.code === "model" && error.evidence.isRetryable === false) return undefined
      throw error
    })
  const called = await orRefused({ messages, tools: [calculateTool({ locale })], toolChoice: "required" })
  const { attachment, base64 } = probes.picture
  const picture = { end: 0, attachment, bytes: Buffer.from(base64, "base64") }
  const seen = await orRefused({ messages: [{ role: "user", content: probes.colour, parts: [picture] }] })
  const formed = await orRefused({ messages, responseFormat: { schema: probes.schema } })
  return [
    called?.some(({ type }) => type === "tool-call") === true,
    // A model that took the picture may have named its colour in other words.
    seen !== undefined && (/\bred\b|红|255|ff0000/iu.test(answerText(seen)) || undefined),
    formed !== undefined && /^\s*\{[^{}]*"zorks"[^{}]*\}\s*$/u.test(answerText(formed)),
    /^(?:(?!<think>).)*<\/think>/su.test(plain),
  ]
}

async function partsOf(model: LanguageModel, request: ModelRequest, limits: Omit<Parameters<typeof within>[0], "signal">) {
  const outcome = await within(limits, async (signal) => {
    const parts: ModelPart[] = []
    for await (const part of model.stream(request, { signal })) parts.push(part)
    return parts
  })
  if (outcome.status === "done") return outcome.value
  if (outcome.status === "failed") throw outcome.error
  throw new PromptStrataError("model", `${model.id} gave no whole answer within ${limits.timeoutMs} ms.`, {
    hint: "Is the server running, and the model loaded? `step_ms` under `[limits]` sets the time.",
  })
}
