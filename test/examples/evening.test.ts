import { afterEach, expect, test } from "vitest"
import { expectScriptsDone } from "../../src/testing/index.ts"
import { life } from "../support/evening/life.ts"
import { discord, koishi, platformDoor, telegram } from "../support/evening/platform-doors.ts"
import { play } from "../support/evening/play.ts"
import { exampleFolder } from "./support/running-example.ts"

afterEach(expectScriptsDone)

const begins = ["A cat.", "pay(to=Eve)", "Paid.", "I will remind you.", "Drink water!"]

test.for([
  ["N26", "grammY at Telegram", "before", "telegram", telegram],
  ["N26", "discord.js at Discord", "before", "discord", discord],
  ["N29", "Koishi", "before", "koishi", koishi],
  ["N43", "grammY at Telegram", "midway", "telegram", telegram],
  ["N43", "discord.js at Discord", "midway", "discord", discord],
  ["N43", "Koishi", "midway", "koishi", koishi],
] as const)("%s the same evening is seen through %s, where a reminder rings (the tool asks %s)", async (given, { skip }) => {
  const [, , asks, example, platform] = given
  const folder = exampleFolder(example)
  if (folder === undefined) return skip()
  const own = life(["You are welcome.", "Any time."], [], asks)
  const door = await platformDoor(await platform(folder), own)
  expect(await play(own, door, door.idle)).toEqual([...begins, "You are welcome.", "Any time."])
})
