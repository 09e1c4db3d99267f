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
    ["the OpenAI API", openaiDoor, "Any time."],
    // Another answer in the place of one that told of the reminder.
    ["useChat of the AI SDK", pageDoor, "Drink water, as I said!"],
    ["AG-UI", agUiDoor, "Any time."],
  ])("through %s, where a reminder waits for the next visit", async (_, doorOf, again) => {
    const own = life(["Any time."])
    const server = served(own)
    expect(await play(own, doorOf(server), server.idle)).toEqual([...begins, "Drink water!", again])
  })

  test.each([
    ["Telegram", telegramDoor],
    ["Discord", discordDoor],
  ])("through a bot of %s, where a reminder rings", async (_, doorOf) => {
    const own = life(["You are welcome.", "Any time."])
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
