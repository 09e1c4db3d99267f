import { expect, test } from "vitest"
import { z } from "zod"
import { loadEncoder } from "../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import { late } from "../../../src/core/late.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import { agentTool } from "../../../src/loop/agent/child/agent-tool.ts"
import { contextOf, partsOf } from "../../../src/loop/agent/published-agents.ts"
import { quietHours } from "../../../src/loop/agent/schedule/schedule-times.ts"
import type { Session } from "../../../src/loop/agent/session.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { truncateText } from "../../../src/prompt/assemble/truncate-text.ts"
import { loadDialect } from "../../../src/prompt/dialect/shipped.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { type Refused, refusals } from "../../support/refusals.ts"

const clock = defineTool({ name: "clock", description: "", execute: () => "11:04" })
const create =
  (options: object, profile: object = {}): Refused =>
  () =>
    createAgent({
      profile: resolveProfile({ name: "p", agent: { name: "Fay" }, ...profile }),
      model: scriptedModel([]),
      ...options,
    } as AgentOptions)
const hook = { name: "h" }
const observer = { name: "o", events: ["turn-end"], observe: () => undefined }
const job = { kind: "j", run: async () => undefined }

test("what createAgent refuses, word for word", async () => {
  const calls: Record<string, Refused> = {
    "two plugins of one name": create({ plugins: [{ name: "a" }, { name: "a" }] }),
    "two hooks of one name": create({ hooks: [hook, hook] }),
    "two observers of one name": create({ observers: [observer, observer] }),
    "two jobs of one name": create({
      plugins: [
        { name: "a", jobs: [job] },
        { name: "b", jobs: [job] },
      ],
    }),
    "a misspelt member of a plugin": create({ plugins: [{ name: "a", tool: [] }] }),
    "a misspelt method of a plugin": create({ plugins: [{ name: "a", clos: () => undefined }] }),
    "a misspelt member of a hook": create({ hooks: [{ name: "h", beforTurn: () => undefined }] }),
    "a misspelt member of an observer": create({ observers: [{ ...observer, maxQueue: 1 }] }),
    "a misspelt member of a job": create({ plugins: [{ name: "a", jobs: [{ ...job, nextRun: 1 }] }] }),
    "an observer's name with a space": create({ observers: [{ ...observer, name: "my own" }] }),
    "an observer without a queue": create({ observers: [{ ...observer, maxQueued: 0 }] }),
    "an observer's time of half a millisecond": create({ observers: [{ ...observer, timeoutMs: 0.5 }] }),
    "two tools of one name": create({ tools: [clock, clock] }),
    "a misspelt tool to prestart": create({ tools: [clock] }, { prestart: [{ tool: "clok" }] }),
    "a tool to prestart where there is none": create({}, { prestart: [{ tool: "clock" }] }),
    "an injection with the key of a layer": create({ injections: [{ key: "persona", content: "x" }] }, { persona: "y" }),
    "a misspelt option": create({ tool: [] }),
    "a misspelt port": create({ ports: { clocks: 1 } }),
    "a misspelt service": create({ services: { recal: 1 } }),
    "a misspelt rule for answers": create({ shouldAnswer: { mention: true } }),
    "a model for no process": create({ models: { writer: scriptedModel([]) } }),
  }
  expect(await refusals(calls)).toMatchSnapshot()
})

/** A session with one answered turn. */
async function talked(model = scriptedModel([finish("Hello.")]), options: Partial<AgentOptions> = {}): Promise<Session> {
  const { session } = testAgent(model, {}, options)
  await session.send("hi").result
  return session
}

test("what a session refuses, word for word", async () => {
  const { agent, session } = testAgent(scriptedModel([]))
  const after = await talked()
  const woken = testAgent(scriptedModel([finish("I woke.")])).session
  await woken.wake("a noise").result
  const [question, answer] = (await after.history()).map(({ id }) => id) as [string, string]
  const badSchema = { "~standard": { version: 1, vendor: "mine", validate: () => ({ value: 1 }) } }
  const calls: Record<string, Refused> = {
    "a conversation that is a number": () => agent.session({ conversation: 1 as never, audience: "group" }),
    "an audience that is none": () => agent.session({ conversation: "c", audience: "public" as never }),
    "an audience left out": () => agent.session({ conversation: "c" } as never),
    "another option of a session": () => agent.session({ conversation: "c", audience: "group", user: "u" } as never),
    "no words": () => session.send(" \n"),
    "a speaker with a blank id": () => session.send("hi", { from: { id: " " } }),
    "a misspelt option": () => session.send("hi", { attachment: [] } as never),
    "an option that is gone": () => session.send("hi", { files: [] } as never),
    "somebody mentioned by name alone": () => session.send("hi", { mentions: [{ name: "Ada" } as never] }),
    "a reply to nobody": () => session.send("hi", { replyTo: { from: { id: "" } } }),
    "no reason to wake": () => session.wake(" "),
    "a schema that is none": () => session.send("hi", { output: {} as never }),
    "a schema without a JSON schema": () => session.send("hi", { output: badSchema as never }),
    "a schema that JSON cannot say": () => session.send("hi", { output: z.date() }),
    "an injection without a key": () => session.send("hi", { inject: [{ content: "x" } as never] }),
    "nothing to make again": () => testAgent(scriptedModel([])).session.regenerate(),
    "a reason to make again": () => woken.regenerate(),
    "another answer for an unknown message": () => after.edit("turn-9:0", "x"),
    "no words for a question": () => after.edit(question, " "),
    "no words for an answer": () => after.edit(answer, ""),
    "words for an edit that are none": () => after.edit(question, 5 as never),
    "a rewind to an unknown turn": () => after.rewind("turn-9"),
    "the choice of an unknown turn": () => after.choose("turn-9"),
    "a copy without a name": () => after.fork(" "),
    "a copy under its own name": () => after.fork("test"),
    "a history with half a limit": () => after.history({ limit: 0.5 }),
    "a history with a limit below zero": () => after.history({ limit: -1 }),
    "a history before an unknown message": () => after.history({ before: "turn-9:0" }),
    "an unknown approval": () => after.approve("a1"),
    "an unknown approval denied": () => after.deny("a1"),
    "memories of an agent without any": () => after.explainMemories("hi"),
    "a memory to forget of an agent without any": () => after.forgetMemory("m1"),
    "an agent that is closed": async () => {
      const { agent: closed, session: open } = testAgent(scriptedModel([]))
      await closed.close()
      return open.send("hi")
    },
    "other words for respond": () => agent.respond([{ role: "system" as never, content: "x" }]),
    "no words for respond": () => agent.respond([]),
    "a last word of the agent's own for respond": () => agent.respond([{ role: "assistant", content: "x" }]),
  }
  expect(await refusals(calls)).toMatchSnapshot()
})

test("what forgetting refuses, word for word", async () => {
  const whole = await talked(scriptedModel([finish("Hello.")]), { store: createInMemoryStore(), runJobs: false })
  const memory = { recall: async () => [], explain: async () => [] }
  const partial = await talked(scriptedModel([finish("Hello.")]), { memory: memory as never })
  const calls: Record<string, Refused> = {
    "an unknown memory": () => whole.forgetMemory("m1"),
    "an unknown memory of somebody": () => whole.forgetMemory("m1", { from: { id: "ann" } }),
    "a memory of a service that cannot forget": () => partial.forgetMemory("m1"),
  }
  expect(await refusals(calls)).toMatchSnapshot()
})

const failing = (message: string) => async () => {
  throw new Error(message)
}

/** A turn of an agent with one tool over these steps. */
const turnOf =
  (steps: Parameters<typeof scriptedModel>[0], options: object = {}, profile: object = {}, model: object = {}): Refused =>
  () =>
    testAgent(scriptedModel(steps, model), profile, { tools: [clock] }).session.send("hi", options as never)

test("how turns fail, word for word", async () => {
  const storeWith = (broken: object) => ({ store: { ...createInMemoryStore(), ...broken } as never })
  const calls: Record<string, Refused> = {
    "a store that cannot be read": () =>
      testAgent(scriptedModel([]), {}, storeWith({ load: failing("no disk") })).session.send("hi"),
    "a store that cannot be written": () =>
      testAgent(scriptedModel([finish("x")]), {}, storeWith({ commit: failing("disk full") })).session.send("hi"),
    "a model that answers nothing": turnOf([finish(""), ""]),
    "an answer that the provider's filter stopped": turnOf([finish(""), [{ type: "finish", reason: "content-filter" }]]),
    "a turn that is aborted": () => {
      const turn = testAgent(scriptedModel([[{ stallUntilAborted: true }]])).session.send("hi")
      turn.abort()
      return turn
    },
    "a turn that is aborted for a reason": () => {
      const turn = testAgent(scriptedModel([[{ stallUntilAborted: true }]])).session.send("hi")
      turn.abort(new Error("enough"))
      return turn
    },
    "a signal that was aborted": turnOf([], { signal: AbortSignal.abort("too late") }),
    "a prompt above its budget": turnOf([], {}, { budget: { tokens: 60 } }),
    "a tool that is none in prepareStep": turnOf([finish("x")], { prepareStep: () => ({ tools: ["clok"] }) }),
    "a model that is none in prepareStep": turnOf([finish("x")], { prepareStep: () => ({ model: "gpt" }) }),
    "a misspelt member in prepareStep": turnOf([finish("x")], { prepareStep: () => ({ tool: [] }) }),
    "text from prepareStep": turnOf([finish("x")], { prepareStep: () => "x" }),
    "a prepareStep that fails": turnOf([finish("x")], { prepareStep: failing("not prepared") }),
    "a stopWhen that fails": turnOf([callTool("clock"), finish("x")], { stopWhen: failing("not stopped") }),
    "a choice that is none": turnOf([finish("x")], { toolChoice: "some" }),
    "a choice of an unknown tool": turnOf([finish("x")], { toolChoice: { tool: "clok" } }),
    "a choice of no tool": turnOf([finish("x")], { toolChoice: {} }),
    "a call that must be among no tools": turnOf([finish("x")], { toolChoice: "required", prepareStep: () => ({ tools: [] }) }),
    "tools of prepareStep that are no list": turnOf([finish("x")], { prepareStep: () => ({ tools: "clock" }) }),
    "a model in prepareStep that cannot call natively": turnOf(
      [],
      { prepareStep: () => ({ model: scriptedModel([], { id: "small" }) }) },
      { loop: { mode: "native" } },
      { capabilities: { tools: true } },
    ),
    "a choice that JSON cannot say": turnOf([finish("x")], { toolChoice: () => "auto" }),
    "an answer that fits no schema": turnOf([finish(""), '{"a":1}', '{"a":2}'], { output: z.object({ a: z.string() }) }),
    "an answer that is no JSON": turnOf([finish(""), "so", "so be it"], { output: z.object({ a: z.string() }) }),
  }
  expect(await refusals(calls)).toMatchSnapshot()
})

test("what is refused where something is missing, word for word", async () => {
  const { agent, session } = testAgent(scriptedModel([]))
  const child = agentTool({ name: "ask", description: "Asks.", agent })
  const context = { signal: new AbortController().signal } as never
  const broken = late(() => Promise.reject(new Error("no such file")))
  await agent.close()
  const calls: Record<string, Refused> = {
    "a tool of an agent outside of a turn": () => child.execute({ request: "Hi." }, context),
    "a request without words": () => child.execute({ request: " " }, context),
    "an agent that is another object": () => partsOf({}),
    "an agent that is closed": () => contextOf(agent),
    "code that cannot be loaded": broken,
    "the same code the next time": broken,
    "a session of a closed agent": () => session.send("hi"),
    "another model for an observer than the agent's": create({}, { observers: { watch: { model: { id: "other" } } } }),
    "another server for a process than the agent's": create({}, { processes: { find: { model: { baseUrl: "http://x" } } } }),
    "documents as memory without their files": create({ store: createInMemoryStore() }, { memory: { store: "documents" } }),
    "quiet hours that begin at no time": () => quietHours({ from: "7:00", to: "08:00" }, "UTC"),
    "quiet hours that end at no time": () => quietHours({ from: "07:00", to: "24:00" }, "UTC"),
    "quiet hours that end when they begin": () => quietHours({ from: "07:00", to: "07:00" }, "UTC"),
    "a text with less room than its notice": () => truncateText("x ".repeat(90), { maxTokens: 1 }),
    "a text cut to tokens with a long notice": () =>
      truncateText("x ".repeat(90), { maxTokens: 5, notice: () => "word ".repeat(20) }),
    // A name of its own: the encoders of the others stay loaded in this process.
    "an encoding that is not installed": () =>
      loadEncoder("missing_base" as never, { load: failing("not found"), split: () => 1 }),
    "shipped prompts that are none": () => loadDialect("nobody", "en"),
  }
  expect(await refusals(calls)).toMatchSnapshot()
})
