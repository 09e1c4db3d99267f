import { afterEach, expect, test } from "vitest"
import { expectScriptsDone } from "../../src/testing/index.ts"
import { life } from "../support/evening/life.ts"
import { discord, koishi, platformDoor, telegram } from "../support/evening/platform-doors.ts"
import { play } from "../support/evening/play.ts"
import { exampleFolder } from "./support/running-example.ts"

afterEach(expectScriptsDone)

const begins = ["A cat.", "pay(to=Eve)", "Paid.", "I will remind you.", "Drink water!"]

test.for([
  ["N26", "grammY at Telegram", "telegram", telegram],
  ["N26", "discord.js at Discord", "discord", discord],
  ["N29", "Koishi", "koishi", koishi],
] as const)("%s the same evening is seen through %s, where a reminder rings", async ([, , example, platform], { skip }) => {
  const folder = exampleFolder(example)
  if (folder === undefined) return skip()
  const own = life(["You are welcome.", "Any time."])
  const door = await platformDoor(await platform(folder), own)
  expect(await play(own, door, door.idle)).toEqual([...begins, "You are welcome.", "Any time."])
})
