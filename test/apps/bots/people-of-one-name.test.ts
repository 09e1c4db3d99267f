import { join } from "node:path"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { type Bot, createBot } from "../../../src/apps/bots/create-bot.ts"
import type { ModelRequest } from "../../../src/core/model/language-model.ts"
import { hintsWith } from "../../../src/loop/agent/child/hints.ts"
import { dialogueInjection } from "../../../src/memory/services/background/dialogue.ts"
import { recentInjection } from "../../../src/memory/services/background/reflection.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { type BackgroundAnswers, backgroundModel } from "../../support/remembering.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const group = { conversation: "friends", audience: "group" } as const
const [ann, other, bob] = [
  { id: "7", name: "Ann" },
  { id: "8", name: "Ann" },
  { id: "9", name: "Bob" },
]
const dayMs = 86_400_000
const textOf = ({ messages }: ModelRequest) => messages.map(({ content }) => content).join("\n")

/** A bot's processes over one file: each run says some messages, is idle and ends. */
function processes(answers: BackgroundAnswers, profile: Parameters<typeof resolveProfile>[0] = {}) {
  const file = join(tempFolder(), "store.db")
  const clock = manualClock(0)
  const model = backgroundModel({ turn: () => finish("I see."), ...answers })
  let next = 0
  const asked = (prompt: string) => textOf(model.asked.findLast(({ facts }) => facts?.prompt === prompt) as ModelRequest)
  const run = async (said: readonly (readonly [from: typeof ann, text: string])[], place: Parameters<Bot["take"]>[0] = group) => {
    const store = await openSqliteStore(file)
    const bot = createBot({
      profile: resolveProfile({
        ...{ name: "Mira", dialect: "layered", persona: "You are Mira.", locale: "en", timeZone: "UTC" },
        ...profile,
      }),
      model,
      store,
      ports: { clock, timers: manualTimers(clock), ids: { next: (prefix) => `${prefix}-${++next}` } },
      chat: () => ({ limit: 4096, locale: "en", sendText: () => undefined }),
    })
    for (const [from, text] of said) {
      await bot.take(place, { id: `m${++next}`, text, from })
      await bot.idle()
      clock.advance(dayMs)
    }
    await bot.close()
    await store.close()
    return asked("planner")
  }
  return { model, asked, run }
}

test("M26 two people of one name are two in a group's prompts, in those of its memory and after a restart", async () => {
  const { asked, run } = processes({}, { history: { contextCount: 2 } })
  const before = await run([
    [ann, "I live in Paris and have a cat."],
    [bob, "Good morning to everybody here!"],
  ])
  expect(before).toContain("Ann:\nI live in Paris")
  expect(await run([[other, "I moved to Rome for my cat."]])).toContain("Ann·8:\nI moved to Rome")
  expect(asked("importance-and-profile")).toContain("Profile so far**\n(none yet)")
  const after = await run([[bob, "Where does Ann live with her cat?"]])
  expect(after).toContain("Ann·8:\nI moved to Rome for my cat.")
  expect(after).toContain("Ann·7 (19700101 0:00):\nI live in Paris and have a cat.")
  expect(after).toContain("Bob:\nWhere does Ann live")
  const spoof = await run([[{ id: "10", name: "Ann·8" }, "I moved to Oslo with all of my cats."]])
  expect(spoof).toContain("Ann·8·10:\nI moved to Oslo")
})

test("M26 heard words of two people of one name are told apart where they are judged", () => {
  const said = [ann, other, bob].map(
    (speaker, at) => ({ role: "user", text: `word ${at}`, speaker, turnId: "t", atMs: at }) as const,
  )
  const { content } = dialogueInjection([{ turnId: "t", turn: 0, untrusted: false, messages: said }])
  const apart = /Ann·7.*word 0.*Ann·8.*word 1.*"Bob".*word 2/
  expect(JSON.stringify(content)).toMatch(apart)
  const memory = { agent: "mira", conversation: "friends", audience: "group", kind: "dialogue", turn: 0 } as const
  const memories = said.map((each, at) => ({ ...memory, ...each, id: `m${at}`, user: each.speaker.id }))
  expect(JSON.stringify(recentInjection(memories, "UTC").content).replaceAll(/"text":("[^"]*")/g, "$1")).toMatch(
    /word 0.*Ann·7.*word 1.*Ann·8.*word 2.*"Bob"/,
  )
  const history = said.slice(0, 2)
  const source = {
    request: "…",
    agentName: "Mira",
    question: { speaker: bob, text: "word 2" },
    history,
    injection: () => undefined,
  }
  expect(JSON.stringify(hintsWith({ messages: 2 })(source))).toMatch(apart)
})

test.each([
  ["Call me Bibi, everyone does.", "I swam across the lake this morning.", "What did Bibi do this morning?"],
  ["大家都叫我老王", "我今天早上去湖里游泳了。", "老王今天早上干什么了？"],
])("M27 whoever is called by a nickname is meant by it, also after a restart (%s)", async (nickname, told, question) => {
  const { run } = processes({}, { history: { contextCount: 1 }, memory: { recallLimit: 1 } })
  const asks = async () => {
    const prompt = await run([[bob, question]])
    return prompt.slice(prompt.indexOf("[memory context]"))
  }
  await run([
    [bob, "I ran around the lake this morning. 我今天早上去湖边跑步了。"],
    [ann, nickname],
    [ann, told],
    [bob, "So much for today."],
  ])
  expect(await asks()).toContain(told)
})

test("M26 M27 three people of one name, two of them with one nickname, stay three people, each with their own facts", async () => {
  const third = { id: "11", name: "Ann" }
  const { run } = processes({}, { history: { contextCount: 2 } })
  await run([
    [ann, "Call me Bibi, everyone does."],
    [ann, "I live in Paris with my parrot."],
    [other, "I live in Rome with my parrot."],
    [third, "Please call me Bibi."],
    [third, "I live in Oslo with my parrot."],
    [bob, "Good morning to everybody here!"],
    [ann, "I moved to Lyon with my parrot."],
    [bob, "It rains again."],
    [bob, "Still raining."],
  ])
  const asked = await run([[bob, "Where does Ann live with her parrot?"]])
  for (const told of [/Ann·7 .*\nI moved to Lyon/, /Ann·8 .*\nI live in Rome/, /Ann·11 .*\nI live in Oslo/])
    expect(asked).toMatch(told)
  expect(asked).not.toMatch(/^Ann[ :(]/m)
  const nicknamed = await run([[bob, "Where does Bibi live?"]])
  for (const told of [/Ann·7 .*\nI moved to Lyon/, /Ann·11 .*\nI live in Oslo/]) expect(nicknamed).toMatch(told)
})
