import { afterEach, describe, expect, test } from "vitest"
import { expectScriptsDone } from "../../src/testing/index.ts"
import { callTool } from "../support/agents.ts"
import { discordDoor, telegramDoor } from "../support/evening/bot-doors.ts"
import { agUiDoor, openaiDoor, pageDoor, served } from "../support/evening/http-doors.ts"
import { life } from "../support/evening/life.ts"
import { play } from "../support/evening/play.ts"
import { terminalDoor } from "../support/evening/terminal-door.ts"

afterEach(expectScriptsDone)

const begins = ["A cat.", "pay(to=Eve)", "Paid.", "I will remind you."]
describe("the same evening is seen alike", () => {
  test.each([
    ["the OpenAI API", "before", openaiDoor, "Any time."],
    // Another answer in the place of one that told of the reminder.
    ["useChat of the AI SDK", "before", pageDoor, "Drink water, as I said!"],
    ["AG-UI", "before", agUiDoor, "Any time."],
    ["the OpenAI API", "midway", openaiDoor, "Any time."],
    ["useChat of the AI SDK", "midway", pageDoor, "Drink water, as I said!"],
    ["AG-UI", "midway", agUiDoor, "Any time."],
  ] as const)("through %s, where a reminder waits for the next visit and the tool asks %s", async (_, asks, doorOf, again) => {
    const own = life(["Any time."], [], asks)
    const server = served(own)
    expect(await play(own, doorOf(server), server.idle)).toEqual([...begins, "Drink water!", again])
  })

  test.each([
    ["Telegram", "before", telegramDoor],
    ["Discord", "before", discordDoor],
    ["Telegram", "midway", telegramDoor],
    ["Discord", "midway", discordDoor],
  ] as const)("through a bot of %s, where a reminder rings and the tool asks %s", async (_, asks, doorOf) => {
    const own = life(["You are welcome.", "Any time."], [], asks)
    const door = await doorOf(own)
    expect(await play(own, door, door.idle)).toEqual([...begins, "Drink water!", "You are welcome.", "Any time."])
  })

  test("in the terminal, where the photo is a file and a reminder rings", async () => {
    const own = life(["You are welcome.", "Any time."], [callTool("read", { path: "cat.png" })])
    const door = terminalDoor(own)
    expect(await play(own, door, door.idle)).toEqual([...begins, "Drink water!", "You are welcome.", "Any time."])
    await door.restart()
  })
})
