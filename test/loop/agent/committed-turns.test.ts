import { expect, test } from "vitest"
import type { CommittedTurn } from "../../../src/memory/services/background/background-job.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { TurnHook } from "../../../src/memory/services/turn-hook.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

const words = (name: string) => `${name} ${"likes tea and rain. ".repeat(8)}`
const memory = { recall: async () => ["a", "b", "c"].map((id) => ({ id, text: words(id) })) }
const look = defineTool({ name: "look", description: "Looks.", execute: () => "seen" })
const search = defineTool({ name: "search", description: "Searches.", trust: "tool", execute: () => "found" })
const forget = defineTool({
  name: "forget",
  description: "Forgets.",
  execute: (_, { record }) => {
    record?.({ kind: "forget", tool: "forget", summary: "forgot" })
    return "done"
  },
})

/** What a job sees of each turn of a conversation. */
async function seenByJobs(profile: ProfileInput, steps: readonly string[], wake = false): Promise<readonly CommittedTurn[]> {
  const seen: CommittedTurn[] = []
  const jobs = [{ kind: "watch", afterTurn: (turn: CommittedTurn) => void seen.push(turn), run: async () => undefined }]
  const hooks: readonly TurnHook[] = [{ name: "h", beforeTurn: ({ state, turn }) => state.set(`turn ${turn}`) }]
  const options = { memory, tools: [look, search, forget], hooks, plugins: [{ name: "p", jobs }], runJobs: false }
  const { agent, session } = testAgent(scriptedModel(steps), { locale: "en", dialect: "layered", ...profile }, options)
  const { ok } = await (wake ? session.wake("It is noon.") : session.send("Hi", { from: { id: "ann", name: "Ann" } })).result
  expect(ok).toBe(true)
  await agent.close()
  return seen
}

const answer = [finish("Hello.")]

test.each<[string, ProfileInput, readonly string[], Partial<CommittedTurn>]>([
  ["all of its memories", {}, answer, { recalled: ["a", "b", "c"], untrusted: false, forgot: false, memoryOn: true, turn: 0 }],
  ["none that no prompt shows", { context: { off: ["memories"] } }, answer, { recalled: [] }],
  ["those that a short budget leaves", { budget: { tokens: 190, answerTokens: 0, stepTokens: 0 } }, answer, { recalled: ["a"] }],
  ["none where all are cut", { budget: { tokens: 150, answerTokens: 0, stepTokens: 0 } }, answer, { recalled: [] }],
  ["that a tool of a stranger ran", {}, [callTool("search"), ...answer], { untrusted: true, forgot: false }],
  ["that only the author's tool ran", {}, [callTool("look"), ...answer], { untrusted: false }],
  ["that an unknown tool is nobody's", {}, [callTool("lok"), ...answer], { untrusted: false }],
  ["that something was forgotten", {}, [callTool("forget"), ...answer], { untrusted: false, forgot: true }],
])("T35 jobs see of a turn %s", async (_, profile, steps, expected) => {
  const [turn] = await seenByJobs(profile, steps)
  expect(turn).toMatchObject({ turnId: "turn-1", hookStates: { h: "turn 0" }, speaker: { id: "ann", name: "Ann" }, ...expected })
  const said = { turnId: "turn-1", atMs: Date.UTC(2026, 0, 2, 3, 4, 5) }
  // Neither memories nor results of tools are words of anybody.
  expect(turn?.messages).toEqual([
    { ...said, role: "user", text: "Hi", speaker: { id: "ann", name: "Ann" } },
    { ...said, role: "assistant", text: "Hello.", speaker: { id: "test", name: "Fay" } },
  ])
  for (const part of [turn, turn?.messages, turn?.messages[0], turn?.key, turn?.speaker]) expect(Object.isFrozen(part)).toBe(true)
})

test("T35 what a turn forgot before it waited for an approval is forgotten when it goes on, in the history too", async () => {
  const seen: CommittedTurn[] = []
  const jobs = [{ kind: "watch", afterTurn: (turn: CommittedTurn) => void seen.push(turn), run: async () => undefined }]
  const store = createInMemoryStore()
  const ask = defineTool({ name: "ask", description: "Asks.", needsApproval: () => true, execute: () => "asked" })
  const options = { store, memory, tools: [forget, ask], plugins: [{ name: "p", jobs }], runJobs: false }
  const calls = ["forget", "ask"].map((name) => [{ type: "tool-call" as const, call: { id: name, name, args: "{}" } }])
  const model = scriptedModel([...calls, "Done."], { capabilities: { tools: true } })
  const { agent, session } = testAgent(model, { locale: "en", dialect: "layered", loop: { mode: "native" } }, options)
  const first = await session.send("Forget my aunt.").result
  const [approval] = (first.ok && first.approvals) || []
  expect(await session.approve(approval?.id ?? "").result).toMatchObject({ ok: true, text: "Done." })
  expect(seen.at(-1)).toMatchObject({ forgot: true, messages: [{ text: "Forget my aunt." }, { text: "Done." }] })
  expect((await store.load(session.key))?.history.map(({ text, runs, recalled }) => [text, runs, recalled])).toEqual([
    ["Forget my aunt.", undefined, undefined],
    ["Done.", undefined, undefined],
  ])
  await agent.close()
})

test("T35 R27 jobs see of a turn in which nobody spoke the answer alone", async () => {
  const [turn] = await seenByJobs({}, answer, true)
  expect(turn?.messages).toEqual([expect.objectContaining({ role: "assistant", text: "Hello.", unprompted: true })])
})

test("L10 hooks see once how a turn ended, and one that hangs or fails after it is told", async () => {
  const seen: unknown[] = []
  const told: string[] = []
  const hooks: readonly TurnHook[] = [
    {
      name: "hangs",
      afterTurn: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))),
    },
    { name: "fails", afterTurn: () => Promise.reject(new Error("no")) },
    {
      name: "sees",
      afterTurn: ({ result: { ok }, question, speaker, memoryOn, turnId, wake }) =>
        void seen.push([ok, question, speaker.name, memoryOn, turnId, wake]),
    },
    { name: "reads", beforeTurn: ({ warn }) => warn("page 3 is torn", "document") },
  ]
  const { agent, session, timers } = testAgent(
    scriptedModel([finish("Hello."), finish("Noon.")]),
    { limits: { toolMs: 50 } },
    { hooks, onWarning: ({ turnId, message }) => void told.push(`${turnId}: ${message}`) },
  )
  for (const turn of [() => session.send("Hi"), () => session.wake("It is noon.")]) {
    const { trace } = await turn().result
    expect(trace.warnings).toEqual([{ kind: "document", message: "page 3 is torn" }])
    await timers.whenPending(1)
    timers.advance(50)
    await agent.idle()
  }
  expect(seen).toEqual([
    [true, "Hi", "主人", true, "turn-1", undefined],
    [true, "", "主人", true, "turn-2", "It is noon."],
  ])
  expect(told).toEqual(
    ["turn-1", "turn-2"].flatMap((turn) => [
      `${turn}: page 3 is torn`,
      `${turn}: The hook hangs took longer than 50 ms after the turn.`,
      `${turn}: The hook fails failed after the turn: no`,
    ]),
  )
  expect(timers.pending).toBe(0)
})

test("a hook is told all of the turns that are set aside, and its state goes where it gives none back", async () => {
  const store = createInMemoryStore()
  const given: unknown[] = []
  const told: unknown[] = []
  const keep = (name: string): TurnHook => ({ name, beforeTurn: ({ state, turn }) => state.set(turn) })
  const hooks: readonly TurnHook[] = [
    {
      ...keep("clears"),
      setAside: ({ key, turns, back, state, notes, turn }) => {
        given.push([
          key,
          turns.map(({ turnId }) => turnId),
          back.map(({ turnId }) => turnId),
          state,
          notes.map(({ id }) => id),
          turn,
        ])
        return undefined
      },
    },
    keep("keeps"),
    {
      ...keep("breaks"),
      setAside: () => {
        throw new Error("no")
      },
    },
    { ...keep("odd"), setAside: () => ({ act: () => 1 }) },
  ]
  const { agent, session } = testAgent(
    scriptedModel(["1", "2", "3"].map(finish)),
    {},
    { store, hooks, runJobs: false, onWarning: ({ key, turnId, message }) => void told.push([key.user, turnId, message]) },
  )
  for (const text of ["one", "two", "three"]) await session.send(text).result
  await store.post(session.key, { id: "note", owner: "clears", payload: {} })
  await store.post(session.key, { id: "other", owner: "keeps", payload: {} })
  await session.rewind("turn-1")
  const { state, notes } = (await store.load(session.key)) ?? {}
  expect(given).toEqual([[{ ...session.key }, ["turn-2", "turn-3"], [], 2, ["note"], 3]])
  expect(state?.hooks).toEqual({ keeps: 2, breaks: 2, odd: 2 })
  expect(notes?.map(({ id }) => id)).toEqual(["other"])
  told.push("── chosen")
  given.length = 0
  await session.choose("turn-3")
  expect(given).toEqual([[{ ...session.key }, [], ["turn-2", "turn-3"], undefined, [], expect.any(Number)]])
  const lost = "could not take back what it drew from turns that were set aside:"
  const odd = "expected plain JSON at state.act, found a value of type function."
  expect(told).toEqual([
    ["test", "turn-2", `The hook breaks ${lost} no`],
    ["test", "turn-2", expect.stringContaining(`The hook odd ${lost} ${odd}`)],
    "── chosen",
    ["test", "turn-2", `The hook breaks ${lost} no`],
    ["test", "turn-2", expect.stringContaining(`The hook odd ${lost} ${odd}`)],
  ])
  await agent.close()
})
