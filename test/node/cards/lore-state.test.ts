import { join } from "node:path"
import { expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { loreSource } from "../../../src/node/cards/lore-turn.ts"
import { lorebookPlugin } from "../../../src/node/cards/lorebook-file.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { defaultLore } from "../../../src/prompt/layers/lorebook/lore-settings.ts"
import { countingIds, manualClock, scriptedModel } from "../../../src/testing/index.ts"
import { tempFolder } from "../../support/temp-folder.ts"

/** What a session keeps of a book after two turns, of which the first one calls its entry; and the prompts. */
async function kept(entry: object, { memory = true, stayTurns = 0 } = {}) {
  const book = { spec: "lorebook_v3", data: { entries: [{ keys: ["tea"], content: "Tea is green.", ...entry }] } }
  const folder = tempFolder({ "book.json": JSON.stringify(book) })
  const store = createInMemoryStore()
  const model = scriptedModel(["Yes.", "No."])
  const agent = createAgent({
    profile: resolveProfile({ dialect: "tavern", locale: "en", loop: { mode: "chat" }, memory: { enabled: false } }),
    model,
    store,
    runJobs: false,
    plugins: [lorebookPlugin([join(folder, "book.json")], { ...defaultLore, stayTurns }, { locale: "en" })],
    ports: { ids: countingIds(), clock: manualClock(1_000) },
  })
  const session = agent.session("c")
  await session.setMemory(memory)
  for (const words of ["tea?", "and now?"]) await session.send(words).result
  const hooks = (await store.load(session.key))?.state.hooks as Readonly<Record<string, unknown>> | undefined
  const shown = model.requests.map(({ messages }) => messages.some(({ content }) => content.includes("Tea is green.")))
  return { isKept: hooks?.lorebook !== undefined, shown }
}

test("C17: a session keeps only what later turns depend on, and nothing with memory off", async () => {
  const plain = { isKept: false, shown: [true, false] }
  expect(await kept({})).toEqual(plain)
  expect(await kept({ extensions: { sticky: 0, cooldown: 0, delay: 0 } })).toEqual(plain)
  const sticky = { extensions: { sticky: 3 } }
  expect(await kept(sticky)).toEqual({ isKept: true, shown: [true, true] })
  expect(await kept({}, { stayTurns: 1 })).toEqual({ isKept: true, shown: [true, true] })
  expect(await kept({ extensions: { cooldown: 1 } })).toEqual({ isKept: true, shown: [true, false] })
  expect(await kept({ extensions: { delay: 2 } })).toEqual({ isKept: true, shown: [false, false] })
  expect(await kept(sticky, { memory: false })).toEqual(plain)
})

test("C25: the settings say how many steps of recursion, how many entries and how deep", () => {
  const lorebook = { ...defaultLore, recursive: true, maxRecursion: 0, minEntries: 1, maxDepth: 3 }
  const entries = ["a", "b"].map((key) => ({
    id: key,
    keys: [key],
    order: 0,
    text: { text: `${key} b`, trust: "user" as const },
  }))
  const scan = (...texts: readonly string[]) =>
    loreSource("x", { entries }, lorebook)
      .scanner.scan({ messages: texts.map((text) => ({ text })), random: () => 0.5 })
      .entries.map(({ id }) => id)
  expect(scan("a", "x", "x")).toEqual(["a"])
  expect(scan("a", "x", "x", "x")).toEqual([])
})
