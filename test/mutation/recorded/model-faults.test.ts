import { expect, test } from "vitest"
import { PromptStrataError, type PromptStrataErrorOf } from "../../../src/core/errors.ts"
import type { LanguageModel, ModelPart } from "../../../src/core/model/language-model.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { modelConformance } from "../../support/conformance/model-conformance.ts"
import type { PlayProvider } from "../../support/conformance/stage.ts"
import { playBroken } from "../../testing/broken-models.ts"

/** A part, an end, an error or a request, with its number in the check. */
interface Step {
  readonly name: string
  readonly value: unknown
}

/** What happens in the place of a step: other steps of the same kind, or an error. */
type Instead = readonly unknown[] | Error

interface Play {
  /** Gets every step. */
  readonly steps: Step[]
  readonly faults?: Readonly<Record<string, Instead>>
}

/** A sound model with its provider, of which single steps go wrong. */
function playFaulty({ steps, faults = {} }: Play): PlayProvider {
  const count = new Map<string, number>()
  const insteadOf = (kind: string, value: unknown): Instead => {
    const at = (count.get(kind) ?? 0) + 1
    count.set(kind, at)
    steps.push({ name: `${kind} ${at}`, value })
    return faults[`${kind} ${at}`] ?? [value]
  }
  return async (scene) => {
    const onRequest = (body: unknown) => {
      const bodies = insteadOf("request", body)
      if (Array.isArray(bodies)) for (const sent of bodies) scene.onRequest(sent)
    }
    const { model } = await playBroken({})({ ...scene, onRequest })
    async function* stream(...given: Parameters<LanguageModel["stream"]>): AsyncGenerator<ModelPart> {
      try {
        for await (const part of model.stream(...given)) {
          const parts = insteadOf(part.type, part)
          if (parts instanceof Error) throw parts
          yield* parts as ModelPart[]
        }
      } catch (error) {
        const [thrown, ...before] = insteadOf("error", error) as readonly unknown[]
        yield* before as ModelPart[]
        if (thrown !== undefined) throw thrown
        return
      }
      const ends = insteadOf("end", undefined)
      if (ends instanceof Error) throw ends
      if (ends.length === 0) await new Promise(() => undefined)
    }
    const [capabilities = {}] = insteadOf("capabilities", model.capabilities) as LanguageModel["capabilities"][]
    return { model: { id: model.id, capabilities: capabilities as LanguageModel["capabilities"], stream } }
  }
}

const failed = new PromptStrataError("model", "Broken.", { evidence: { isRetryable: true } })

/** What can go wrong in a step. */
function faultsOf({ name, value }: Step): Readonly<Record<string, Instead>> {
  const whole = value as ModelPart
  if (name.startsWith("end")) return { "never comes": [], fails: failed }
  if (name.startsWith("request")) return { lost: [], twice: [value, value], empty: [""] }
  if (name.startsWith("capabilities")) {
    const { developerRole, tools } = value as LanguageModel["capabilities"]
    return { "of tools": [{ developerRole, tools: !tools }], "no word of the role": [{ tools }] }
  }
  if (name.startsWith("error")) {
    const ways = { lost: [], "is plain": [new Error("plain")], "behind a finish": [value, { type: "finish", reason: "stop" }] }
    return { ...ways, ...otherErrors(value as PromptStrataError) }
  }
  return { lost: [], twice: [whole, whole], fails: failed, ...otherParts(whole) }
}

function otherErrors({ code, message, ...error }: PromptStrataError): Readonly<Record<string, Instead>> {
  const evidence = error.evidence as PromptStrataErrorOf<"model">["evidence"]
  const { isRetryable, status } = evidence
  const otherwise = { ...evidence, isRetryable: isRetryable !== true }
  return {
    "of another code": [new PromptStrataError(code === "model" ? "aborted" : "model", message)],
    "retryable otherwise": [new PromptStrataError("model", message, { evidence: otherwise })],
    "of another status": [new PromptStrataError("model", message, { evidence: { ...evidence, status: 418 } })],
    "without a wait": [new PromptStrataError("model", message, { evidence: { isRetryable, status } })],
  }
}

function otherParts(part: ModelPart): Readonly<Record<string, Instead>> {
  if ("delta" in part)
    return { changed: [{ ...part, delta: `${part.delta}?` }], "half a character": [{ ...part, delta: "\ud83d" }] }
  if (part.type === "tool-call") {
    const { call } = part
    return Object.fromEntries(
      ["id", "name", "args"].map((member) => [`other ${member}`, [{ ...part, call: { ...call, [member]: "{}?" } }]]),
    )
  }
  if (part.type === "finish")
    return { "for another reason": [{ ...part, reason: "error" }], "and more": [part, { type: "text-delta", delta: "!" }] }
  if (part.type === "usage") return { "other counts": [{ ...part, usage: { ...part.usage, outputTokens: 77 } }] }
  return { "other bytes": [{ ...part, base64: "AAAA" }] }
}

/** Runs a check; resolves to what it expected. A step that hangs fails at the limit. */
async function expectationOf(rule: string, play: Play): Promise<string> {
  const timers = manualTimers(manualClock())
  const check = modelConformance(playFaulty(play), { timers, limitMs: 1_000 }).find(({ name }) => name === rule)
  let outcome: string | undefined
  check?.run().then(
    () => {
      outcome = nothing
    },
    (error: PromptStrataError) => {
      outcome = error.code === "test" ? error.message.split("; found ")[0] : `throws ${error}`
    },
  )
  for (let turns = 0; outcome === undefined; turns++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (turns > 20) timers.advance(1_000)
  }
  return outcome
}

const nothing = "nothing is found"
const ruleNames = modelConformance(playBroken({})).map(({ name }) => name)

test.each(ruleNames)("what is found when one step of a model goes wrong: %s", async (rule) => {
  const sound: Step[] = []
  expect(await expectationOf(rule, { steps: sound })).toBe(nothing)
  const found = new Map<string, string[]>()
  for (const step of sound) {
    for (const [way, instead] of Object.entries(faultsOf(step))) {
      const expected = await expectationOf(rule, { steps: [], faults: { [step.name]: instead } })
      if (expected !== nothing) found.set(expected, [...(found.get(expected) ?? []), `${step.name} ${way}`])
    }
  }
  const lines = [...found].map(([expected, faults]) => `${faults.join(", ")}\n    ${expected}`)
  expect(lines.join("\n")).toMatchSnapshot()
})
