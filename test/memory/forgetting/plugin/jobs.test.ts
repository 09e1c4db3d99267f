import { describe, expect, test } from "vitest"
import type { AskModel } from "../../../../src/memory/services/background/background-job.ts"
import { scriptedModel } from "../../../../src/testing/scripted-model.ts"
import { finish } from "../../../support/agents.ts"
import { rehearse } from "../../../support/virtual-context.ts"

const dayMs = 86_400_000
const long = "One. Two. Three. ".repeat(40)

/** Answers background prompts by their name, and keeps the questions. */
function asking(answers: Readonly<Record<string, string>>) {
  const asked: string[] = []
  const ask: AskModel = async (prompt) => {
    asked.push(prompt)
    const text = answers[prompt]
    if (text === undefined) throw new Error("the server is down")
    return { text, model: "m", assembly: {} as Awaited<ReturnType<AskModel>>["assembly"] }
  }
  return { ask, asked }
}

const byModel = { events: { writer: "model-call" }, compression: { writer: "model" } } as const

async function twoDays(answers: Readonly<Record<string, string>>) {
  const { ask, asked } = asking(answers)
  const rehearsal = rehearse({ model: scriptedModel([finish(long), ...Array(4).fill(finish("mm"))]), options: byModel, ask })
  await rehearsal.say("Count to three for Miso")
  rehearsal.clock.advance(dayMs)
  for (let turn = 0; turn < 4; turn++) await rehearsal.say("next day")
  return { rehearsal, asked, state: await rehearsal.state() }
}

describe("the jobs of a virtual context", () => {
  test("R12, R20: a model writes topics with their parts, roll-ups and short answers", async () => {
    const { state, asked } = await twoDays({
      event:
        'Here: [{"event": "We met", "importance": 7, "message": 2, "parts": [{"event": "She said hello", "importance": 1}]}]',
      "roll-up": '{"event": "A good day", "importance": 7}',
      compress: "It comes to three.",
    })
    expect(asked).toEqual(["compress", "event", "roll-up"])
    const byGrain = (grain: string) => state.events.filter((event) => event.grain === grain)
    const [topic, part] = byGrain("moment").toSorted((a, b) => b.children.length - a.children.length)
    expect([topic?.text, topic?.importance, topic?.children]).toEqual(["We met", 7, [part?.id]])
    expect(byGrain("day").map(({ text, children }) => [text, children])).toEqual([["A good day", [topic?.id]]])
    expect(state.compressed[0]?.text).toBe("It comes to three.")
  })

  test("what a model says badly, or not at all, a rule writes; the receipts say so", async () => {
    const { state, rehearsal } = await twoDays({ event: "I would rather not", compress: " " })
    expect(state.events.map(({ text }) => text)).toEqual([
      "User said “Count to three for Miso”",
      "User said “Count to three for Miso”",
    ])
    expect(state.compressed[0]?.text.length).toBeLessThanOrEqual(160)
    expect(rehearsal.receipts.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ["compress", "parse-error"],
      ["event", "parse-error"],
      ["roll-up", "failed"],
    ])
  })

  test("a turn waits for none of them: with every job hanging for ever, turns go on, and their notes come in later", async () => {
    const never: AskModel = () => new Promise(() => undefined)
    const rehearsal = rehearse({ model: scriptedModel(Array(12).fill(finish(long))), options: byModel, ask: never })
    for (let turn = 0; turn < 12; turn++) {
      expect(await rehearsal.say("Count for Miso", { jobs: false })).toMatchObject({ ok: true })
      void rehearsal.runJobs()
      rehearsal.clock.advance(dayMs)
    }
    const state = await rehearsal.state()
    expect([state.events.length, state.compressed.length, state.ended.length]).toEqual([0, 0, 11])
  })

  test("R20: a topic that no job has written is asked for again, and its note counts once", async () => {
    const rehearsal = rehearse({ model: scriptedModel(Array(12).fill(finish("mm"))) })
    await rehearsal.say("first", { jobs: false })
    rehearsal.clock.advance(dayMs)
    for (let turn = 0; turn < 8; turn++) await rehearsal.say("later", { jobs: false })
    await rehearsal.say("again")
    await rehearsal.say("again")
    const state = await rehearsal.state()
    expect([state.ended.length, state.events.filter(({ grain }) => grain === "moment").length]).toEqual([0, 1])
  })

  test("R20: a day waits for its last topic, which becomes an event only on the next day", async () => {
    const rehearsal = rehearse({ model: scriptedModel(Array(6).fill(finish("mm"))) })
    await rehearsal.say("the cat is ill")
    rehearsal.clock.advance(dayMs / 4)
    await rehearsal.say("the vet has come")
    rehearsal.clock.advance(dayMs)
    for (let turn = 0; turn < 4; turn++) await rehearsal.say("next day")
    const days = (await rehearsal.state()).events.filter(({ grain }) => grain === "day")
    expect(days.map(({ children }) => children.length)).toEqual([2])
  })

  test("R12: older long answers are shown short, users' words and the last answers whole", async () => {
    const rehearsal = rehearse({ model: scriptedModel(Array(8).fill(finish(long))), profile: { dialect: "root" } })
    for (let turn = 0; turn < 8; turn++) await rehearsal.say(`my words ${turn} ${long}`)
    const { messages } = await rehearsal.session.preview("and?")
    const answers = messages.filter(({ role }) => role === "assistant").map(({ content }) => content.length > 200)
    expect(answers).toEqual([false, false, false, false, true, true, true, true])
    expect(
      messages.filter(({ role }) => role === "user").every(({ content }) => content.length > 200 || content.includes("and?")),
    ).toBe(true)
  })
})
