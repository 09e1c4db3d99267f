import { expect, test } from "vitest"
import type { Agent } from "../../../src/loop/agent/agent.ts"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import type { AnswerRules, ShouldAnswer } from "../../../src/loop/agent/receive.ts"
import type { Session } from "../../../src/loop/agent/session.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { SessionStore } from "../../../src/memory/services/store/session-store.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Tool } from "../../../src/prompt/tools/tool.ts"
import { type ManualTimers, type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

interface Played {
  readonly agent: Agent
  readonly session: Session
  readonly timers: ManualTimers
  readonly store: SessionStore
  /** Puts a value into the text, without traces. */
  say(what: string, value?: unknown): void
}

interface Scenario {
  readonly steps?: readonly ScriptedStep[]
  readonly profile?: ProfileInput
  readonly options?: Partial<AgentOptions>
  play(at: Played): Promise<void>
}

/** Plays a scenario and returns what it said, the warnings, and what is stored in the end. */
async function played({ steps = [], profile = {}, options = {}, play }: Scenario): Promise<string> {
  const text: string[] = []
  const say = (what: string, value?: unknown): void => void text.push(value === undefined ? what : `${what}: ${shown(value)}`)
  const store = createInMemoryStore()
  const warnings: string[] = []
  const onWarning: AgentOptions["onWarning"] = ({ turnId, message }) => void warnings.push(`warning of ${turnId}: ${message}`)
  const model = scriptedModel(steps, { chunkSize: 1_000 })
  const { agent, session, timers } = testAgent(
    model,
    { locale: "en", ...profile },
    { store, runJobs: false, onWarning, ...options },
  )
  await play({ agent, session, timers, store, say })
  await agent.idle()
  await agent.close()
  // Those of several observers come in any order.
  text.push(...warnings.sort())
  for await (const line of store.export({ agent: "test" })) text.push(line)
  text.push(`requests: ${model.requests.length}; timers left: ${timers.pending}`)
  return text.join("\n")
}

function shown(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) => {
    if (name === "trace") return undefined
    return member instanceof Error ? { code: Reflect.get(member, "code"), message: member.message } : member
  })
}

const ann = { id: "ann", name: "Ann" }
const bob = { id: "bob", name: "Bob" }
const robot = { id: "rob", name: "Rob", isAgent: true as const }

/** Words that a group says, with what is said with them. */
const heardWords: readonly (readonly [text: string, options: Parameters<Session["receive"]>[1]])[] = [
  ["nobody named", { from: ann }],
  ["Fay named", { from: ann, mentions: [{ id: "test", name: "Fay" }] }],
  ["a reply to Ann", { from: bob, replyTo: { from: ann } }],
  ["a reply to Fay", { from: bob, replyTo: { from: { id: "test" } } }],
  ["Tea, please", { from: bob }],
  ["order 55", { from: bob }],
]

const rules: Readonly<Record<string, AnswerRules | ShouldAnswer | undefined>> = {
  "no rules": undefined,
  "the default rules": {},
  "no mentions": { mentioned: false },
  "no replies": { repliedTo: false },
  keywords: { keywords: ["TEA", /\d+/] },
  "always by chance": { probability: 1 },
  "never by chance": { probability: 0 },
  "a decision of its own": {
    decide: ({ text, isMentioned, isReply }) => ({ answers: text.includes("order"), reason: `own ${isMentioned} ${isReply}` }),
  },
  "a function": ({ text }) => text.includes("order"),
  "a decision that fails": { decide: () => Promise.reject(new Error("no idea")) },
  "quiet hours": { probability: 1, quietHours: { from: "03:00", to: "03:05" } },
  "quiet hours that are over": { probability: 1, quietHours: { from: "02:00", to: "03:04" } },
  "quiet hours over midnight": { probability: 1, quietHours: { from: "23:00", to: "03:05" } },
  "a cooldown": { probability: 1, cooldownMs: 10 },
}

test.each(Object.entries(rules))("what is answered of a group's words with %s", async (_, shouldAnswer) => {
  const scenario: Scenario = {
    steps: heardWords.map(([text]) => finish(`Answer to ${text}.`)),
    options: shouldAnswer === undefined ? {} : { shouldAnswer },
    async play({ agent, timers, say }) {
      const group = agent.session({ conversation: "club", audience: "group" })
      for (const [text, options] of heardWords) {
        const received = await group.receive(text, options)
        if (received.answers) await received.turn.result
        timers.advance(4)
        say(text, received.answers ? { reason: received.reason, turn: received.turn.id } : received)
      }
    },
  }
  expect(await played(scenario)).toMatchSnapshot()
})

const later = defineTool({ name: "later", description: "Does it.", execute: () => "done" })

/** Two turns that recall, of which the first also forgets. */
function recalling(older: "drop" | "condense" | "keep"): Scenario {
  const recall = async () => [{ text: `the canary ${"sings on ".repeat(40)}` }, { text: "a\nline" }]
  const forget: Tool["execute"] = (_, { record }) => {
    record?.({ kind: "forget", tool: "later", summary: "forgot" })
    return "forgot the canary"
  }
  return {
    steps: [callTool("later"), finish("Gone."), finish("What?")],
    profile: { context: { older, olderCharacters: 20 } },
    options: { memory: { recall } as never, tools: [{ ...later, execute: forget }] },
    async play({ session }) {
      await session.send("forget it").result
      await session.send("remember?").result
    },
  }
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "the model decides what is answered": {
    steps: ["Yes.", finish("Here."), "no", "是的", finish("在。")],
    options: { shouldAnswer: { model: true } },
    async play({ agent, say }) {
      const group = agent.session({ conversation: "club", audience: "group" })
      for (const text of ["one", "two", "three"]) {
        const received = await group.receive(text, { from: ann })
        if (received.answers) await received.turn.result
        say(text, received.reason)
      }
    },
  },
  "agents that talk to each other": {
    steps: ["1", "2", "3"].map(finish),
    profile: { conversation: { agentAnswers: 2 } },
    async play({ agent, say }) {
      const group = agent.session({ conversation: "club", audience: "group" })
      for (const from of [robot, robot, robot, ann, robot, robot, robot]) {
        const received = await group.receive(`${from.name} says`, { from, mentions: [{ id: "test" }] })
        if (received.answers) say(from.name, [received.reason, (await received.turn.result).ok])
        else say(from.name, received.reason)
      }
    },
  },
  "answers, alternatives, edits and copies": {
    steps: ["one", "two", "three", "four", "five"].map(finish),
    async play({ agent, session, say }) {
      await session.send("a", { from: ann }).result
      await session.send("b", { from: ann }).result
      await session.regenerate().result
      say("history", await session.history())
      await session.edit("turn-3:1", "edited answer")
      await (await session.edit("turn-1:0", "edited question"))?.result
      say("history", await session.history())
      say("the newest", await session.history({ limit: 1 }))
      say("none", await session.history({ limit: 0 }))
      await session.choose("turn-2")
      say(
        "chosen",
        (await session.history()).map(({ id, text, alternatives }) => [id, text, alternatives?.map(({ turnId }) => turnId)]),
      )
      await session.fork("copy")
      say(
        "copy",
        (await agent.session("copy").history()).map(({ id, text }) => [id, text]),
      )
      await session.rewind("turn-1:1")
      say(
        "rewound",
        (await session.history({ before: "turn-1:1" })).map(({ id }) => id),
      )
      await session.clear()
      say("cleared", await session.history())
      await session.choose("turn-1")
      say(
        "back",
        (await session.history()).map(({ id }) => id),
      )
    },
  },
  "words that are heard, late, in a row and as replies": {
    steps: [finish("I heard you.")],
    async play({ agent, session, say }) {
      const group = agent.session({ conversation: "club", audience: "group" })
      say(
        "heard",
        await Promise.all([
          group.hear("one", { from: ann, atMs: 5 }),
          group.hear("two", { from: bob }),
          group.hear("three", { from: robot }),
        ]),
      )
      say("reply", await group.hear("to one", { from: bob, replyTo: "heard-1:0", mentions: [ann, { id: "test" }] }))
      say("lost", await group.hear("to nobody", { from: bob, replyTo: "heard-9:0" }))
      say("own", await session.hear("I am Fay.", { from: { id: "test" } }))
      say("turn", await group.send("so?", { from: ann, replyTo: "heard-2:0" }).result)
      say("history", await group.history())
    },
  },
  "memory that is switched off and on": {
    steps: [finish("1"), finish("2"), finish("3")],
    async play({ session, say }) {
      say("at first", await session.memoryOn())
      await session.send("a").result
      await session.setMemory(false)
      await session.setMemory(false)
      say("off", await session.memoryOn())
      await session.send("b").result
      await session.setMemory(true)
      await session.send("c").result
      say("on", await session.memoryOn())
    },
  },
  "notes and wakes of an observer": {
    steps: [finish("Hello."), finish("I woke."), finish("Again.")],
    options: {
      observers: [
        {
          name: "watcher",
          events: ["turn-end", "text-delta"],
          async observe(event, { inject, wake, post, session, messages, missed, turnId, wakeReason }) {
            if (event.type !== "turn-end") return
            await inject({ key: "seen", text: `saw ${turnId}, missed ${missed}`, priority: 5 })
            await post({ id: `n ${turnId}`, owner: "taker", payload: { turnId } })
            const record = await session()
            const known = (await messages({ limit: 5 })).length
            await post({ id: `m ${turnId}`, owner: "taker", payload: { known, record, wakeReason: wakeReason ?? null } })
            const woken = [wake("look", { trust: "author" }), wake("again")]
            await post({ id: `w ${turnId}`, owner: "taker", payload: { woken } })
          },
        },
      ],
      hooks: [
        {
          name: "taker",
          beforeTurn: ({ notes, stack }) =>
            void stack.add("notes", JSON.stringify(notes.map(({ id, payload }) => [id, payload]))),
        },
      ],
    },
    async play({ agent, session, say }) {
      await session.send("hi").result
      await agent.idle()
      const { trace } = await session.send("and now?").result
      say("prompt", trace.steps[0]?.assembly.messages.at(-1)?.content)
    },
  },
  "observers that fail, are slow and do wrong": {
    steps: [finish("One.")],
    options: {
      observers: [
        { name: "fails", events: ["turn-start"], observe: () => Promise.reject(new Error("no eyes")) },
        { name: "slow", events: ["turn-end"], timeoutMs: 20, observe: () => new Promise(() => undefined) },
        ...[
          ["no id", { id: "", owner: "taker", payload: {} }],
          ["long id", { id: "x".repeat(201), owner: "taker", payload: {} }],
          ["other hook", { id: "x", owner: "none", payload: {} }],
          ["list", { id: "x", owner: "taker", payload: [] }],
          ["long payload", { id: "x", owner: "taker", payload: { a: "x".repeat(64_000) } }],
        ].map(([name, note]) => ({
          name: String(name).replace(" ", "_"),
          events: ["turn-start"] as const,
          observe: (_: unknown, { post }: { post: (note: never) => Promise<unknown> }) =>
            post(note as never).then(() => undefined),
        })),
      ],
      hooks: [{ name: "taker" }],
    },
    async play({ agent, session, timers }) {
      await session.send("a").result
      let isIdle = false
      const idle = agent.idle().then(() => {
        isIdle = true
      })
      while (!isIdle) {
        await new Promise((resolve) => setImmediate(resolve))
        timers.advance(5_000)
      }
      await idle
    },
  },
  "turns that wait for each other": {
    steps: [finish("One."), finish("Two."), finish("Three.")],
    async play({ session, say }) {
      const turns = ["a", "b", "c"].map((text) => session.send(text))
      turns[1]?.abort(new Error("not this one"))
      say("results", await Promise.all(turns.map(({ result }) => result)))
    },
  },
  "a hook that fails halfway, and one that goes on later": {
    steps: [callTool("later"), finish("Done.")],
    options: {
      hooks: [
        {
          name: "fails",
          beforeTurn({ state, stack, addTools }) {
            state.set({ half: true })
            stack.add("half", "of it")
            addTools([{ ...later, name: "half" }])
            throw new Error("no more")
          },
        },
        {
          name: "goes_on",
          beforeTurn({ state, addTools }) {
            state.set({ turns: 1 })
            addTools([{ ...later, execute: () => state.set({ turns: 2 }) }])
          },
        },
      ],
    },
    async play({ session, say }) {
      const { trace } = await session.send("hi").result
      say("warnings", trace.warnings)
      say(
        "tools and items",
        trace.steps[0]?.assembly.spans.filter(({ key }) => key === "half" || key === "tools"),
      )
    },
  },
  ...Object.fromEntries(
    (["drop", "condense", "keep"] as const).map((older) => [`what is kept of what was recalled: ${older}`, recalling(older)]),
  ),
  "answers without a session": {
    steps: [finish("Yes."), callTool("none"), finish("No.")],
    async play({ agent, say }) {
      const past = [
        { role: "user", content: "hi" },
        { role: "assistant", content: "hello" },
        { role: "user", content: "well?" },
      ] as const
      say("first", await agent.respond(past, { from: ann }).result)
      say("second", await agent.respond([{ role: "user", content: "alone" }]).result)
    },
  },
  previews: {
    steps: [finish("Hello.")],
    async play({ session, say }) {
      await session.send("hi", { from: ann }).result
      for (const prompt of ["planner", "final", "chat"]) {
        const { messages, tokens } = await session.preview("what then?", {
          from: ann,
          prompt,
          inject: [{ key: "extra", content: "noted" }],
        })
        say(prompt, { tokens, messages })
      }
    },
  },
}

test.each(Object.entries(scenarios))("all that is seen and stored of a session: %s", async (_, scenario) => {
  expect(await played(scenario)).toMatchSnapshot()
})
