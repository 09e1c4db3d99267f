import fc from "fast-check"
import { expect, test } from "vitest"
import { type Breakpoint, cacheFormOf, cacheMarks } from "../../../../src/adapters/models/ai-sdk/cache-breakpoints.ts"
import type { Assembly, Message } from "../../../../src/core/span.ts"
import type { Stability } from "../../../../src/core/value.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { assemblyOf, type Runs } from "./assemblies.ts"

/** Models by the form in which their providers take breakpoints. */
const forms = {
  anthropic: { provider: "anthropic.messages", modelId: "claude-x" },
  chat: { provider: "openai.chat", modelId: "gpt-6" },
  responses: { provider: "openai.responses", modelId: "gpt-6" },
}

const stability = fc.constantFrom<Stability>("global", "session", "conversation", "turn")
const words = fc.constantFrom("a", "bc ", " d", "  ", "\n", "efg")
const message = fc
  .tuple(fc.constantFrom("system", "user", "assistant", "tool"), fc.array(fc.tuple(stability, words), { maxLength: 3 }))
  .map(([role, texts]): Runs => [role, ...texts] as unknown as Runs)

test("breakpoints stand where a slow reading of every place puts them", () => {
  const asked = fc.record({
    messages: fc.array(message, { minLength: 1, maxLength: 5 }),
    form: fc.constantFrom<keyof typeof forms>("anthropic", "chat", "responses"),
    own: fc.boolean(),
    used: fc.nat(3),
    changed: fc.option(fc.nat(5), { nil: undefined }),
  })
  fc.assert(
    fc.property(asked, ({ messages: parts, form, own, used, changed }) => {
      const assembly = assemblyOf(...parts)
      const messages = assembly.messages.map((given, at) => (at === changed ? { ...given, content: `${given.content}!` } : given))
      const providerOptions = own ? { anthropic: { cacheControl: { type: "ephemeral" } } } : {}
      const marks = cacheMarks({ assembly, messages }, { cacheForm: cacheFormOf(forms[form], true), providerOptions }, used)
      const max = 4 - used - (own ? 1 : 0)
      const places = slowPlaces(assembly, messages, form !== "responses").slice(0, max)
      expect(marks?.breakpoints ?? []).toEqual(places.toSorted((a, b) => a.message - b.message || a.end - b.end))
    }),
    { numRuns: runs(20_000), seed: seedOf(61) },
  )
})

/** The places, the most useful first. */
function slowPlaces(assembly: Assembly, messages: readonly Message[], marksAssistant: boolean): readonly Breakpoint[] {
  const differs = assembly.messages.findIndex(({ content }, at) => content !== messages[at]?.content)
  const shared = differs < 0 ? messages.length : differs
  const found = new Map<string, Breakpoint>()
  for (const wanted of ["conversation", "session", "global", "turn"] as const) {
    const prefix = assembly.prefixes.find((each) => each.stability === wanted)
    if (!prefix || prefix.tokens === 0 || prefix.message >= shared) continue
    const from = wanted === "conversation" ? lastSaid(assembly, prefix) : prefix
    const before = messages.slice(0, from.message).map(({ content }, at) => ({ message: at, end: content.length }))
    const place = [...before, { message: from.message, end: from.end }].findLast(({ message: at, end }) => {
      const { role, content } = messages[at] as Message
      if (/^\s*$/u.test(content.slice(0, end)) || (role === "tool" && end < content.length)) return false
      return marksAssistant || role !== "assistant"
    })
    if (place) found.set(JSON.stringify(place), place)
  }
  return [...found.values()]
}

/** The end of the last text of the conversation that ends no later than its prefix; the end of its message if that is an earlier one. */
function lastSaid({ messages, spans }: Assembly, prefix: Breakpoint): Breakpoint {
  const ends = spans.map(({ message: at, stability: kind }, index) => {
    const before = spans.slice(0, index + 1).filter((span) => span.message === at)
    return { message: at, kind, end: before.map(({ text }) => text).join("").length }
  })
  const isBefore = (end: Breakpoint) => end.message < prefix.message || (end.message === prefix.message && end.end <= prefix.end)
  // Everything up to the first text that goes beyond the prefix.
  const beyond = ends.findIndex((end) => !isBefore(end))
  const last = ends.slice(0, beyond < 0 ? undefined : beyond).findLast(({ kind }) => kind === "conversation")
  if (!last) return prefix
  return last.message < prefix.message ? { message: last.message, end: messages[last.message]?.content.length ?? 0 } : last
}
