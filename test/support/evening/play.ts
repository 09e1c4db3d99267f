import { expect } from "vitest"
import type { Door, Life } from "./life.ts"

const minuteMs = 60_000

/** The same evening: a photo, a call with approval, a restart, a reminder, a second thought. Returns what the person saw. */
export async function play(own: Life, door: Door, idle: () => Promise<void>): Promise<readonly string[]> {
  await door.showPhoto("Who is this?")
  await door.say("Pay Eve.")
  await door.restart()
  await door.allow()
  await door.say("Remind me to drink water in 10 minutes.")
  await own.pass(10 * minuteMs, idle)
  await door.say("Thanks!")
  await door.again()
  expect(JSON.stringify(own.models[0].requests.map(({ messages }) => messages))).toContain('"mediaType":"image/png"')
  expect(own.paid).toEqual(["Eve"])
  return door.seen()
}
