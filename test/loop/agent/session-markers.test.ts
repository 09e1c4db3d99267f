import { expect, test } from "vitest"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import type { TurnHook } from "../../../src/memory/services/turn-hook.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"

const on = { dialect: "layered", context: { sessionMarkers: true, older: "keep" as const } }
const openings = (texts: readonly { readonly content: string }[]) =>
  texts.flatMap(({ content }) => content.match(/^\[context: observed.*\]$/gm) ?? [])

function agentOver(store: Store, profile: object = on) {
  const model = backgroundModel()
  const hook: TurnHook = {
    name: "h",
    beforeTurn: ({ stack }) => void stack.add({ key: "observed", content: "rain", trust: "tool" }),
  }
  return { ...testAgent(model, profile, { store, hooks: [hook], runJobs: false }), model }
}

test("L7 a session keeps the id of its markers over turns, previews and restarts, and another session has another", async () => {
  const store = createInMemoryStore()
  const first = agentOver(store)
  const previewed = openings((await first.session.preview("hi")).messages)
  for (const text of ["one", "two", "three"]) await first.session.send(text).result
  const again = agentOver(store)
  await again.session.send("four").result
  const shown = [...first.model.asked, ...again.model.asked].map(({ messages }) => openings(messages))
  expect(shown).toEqual(Array.from({ length: 4 }, () => previewed))
  expect(previewed).toEqual([expect.stringMatching(/^\[context: observed [0-9a-z]{2,8}\]$/)])
  expect(openings((await first.agent.session("other").preview("hi")).messages)).not.toEqual(previewed)
})

test.each([
  ["x", "x"],
  ["ABCdef12", "abcdef12"],
  ["ABCdef123", "bcdef123"],
  ["marker_0f-9A é.7", "rker0f9a7".slice(-8)],
])("L7 the id of a session's markers has at most eight letters and digits: %s gives %s", async (made, expected) => {
  const ids = { next: (prefix: string) => (prefix === "marker" ? made : `${prefix}-1`) }
  const memory = { recall: async () => [{ id: "m", text: "Tea." }] }
  const profile = { dialect: "layered", locale: "en", context: { sessionMarkers: true } }
  const { session } = testAgent(scriptedModel([]), profile, { memory, ports: { ids } })
  const { messages } = await session.preview("Hi", { prompt: "chat" })
  expect(messages.at(-1)?.content).toContain(`[memory context ${expected}]`)
})
