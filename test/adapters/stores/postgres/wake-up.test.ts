import { EventEmitter } from "node:events"
import type { Client } from "pg"
import { expect, test } from "vitest"
import { WakeUpListener } from "../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import { manualClock, manualTimers } from "../../../../src/testing/deterministic-ports.ts"

/** A listener on clients that connect or fail as `answers` say, one after the other. */
function listening(answers: readonly ("connects" | "fails")[]) {
  const clock = manualClock()
  const timers = manualTimers(clock)
  const [clients, heard, warnings]: [EventEmitter[], string[], string[]] = [[], [], []]
  const connect = () => {
    const answer = answers[clients.length]
    const client = Object.assign(new EventEmitter(), {
      connect: async () => {
        if (answer !== "connects") throw new Error("refused")
      },
      query: async (sql: string) => void heard.push(sql),
      end: async () => undefined,
    })
    clients.push(client)
    return client as unknown as Client
  }
  const listener = new WakeUpListener({
    ...{ connect, channel: "c", timers, random: () => 0 },
    onMessage: (message) => heard.push(`message ${message}`),
    onWarning: (message) => warnings.push(message),
  })
  return { listener, clock, timers, clients, heard, warnings }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("a connection asks for messages, and is told at once: some may have been missed before", async () => {
  const { clients, heard } = listening(["connects"])
  await settled()
  expect(heard).toEqual(['listen "c"', "message "])
  clients[0]?.emit("notification", { payload: "more" })
  clients[0]?.emit("notification", {})
  expect(heard.slice(2)).toEqual(["message more", "message "])
})

test("a lost connection is told once, and tried again after waits that double up to half a minute", async () => {
  const { clients, timers, warnings, heard, listener } = listening(["connects", ...Array<"fails">(8).fill("fails"), "connects"])
  await settled()
  clients[0]?.emit("error", new Error("cut"))
  const waits: number[] = []
  while (clients.length < 10) {
    const before = clients.length
    let waitMs = 0
    while (clients.length === before) {
      timers.advance(250)
      waitMs += 250
    }
    waits.push(waitMs)
    await settled()
  }
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  expect(warnings).toEqual(["jobs: not woken at once until the listening connection is back (cut)"])
  expect(heard).toEqual(['listen "c"', "message ", 'listen "c"', "message "])
  clients[9]?.emit("end")
  expect(warnings.slice(1)).toEqual([expect.stringContaining("(it ended)")])
  clients[9]?.emit("error", new Error("a late word"))
  expect(timers.pending).toBe(1)
  await listener.close()
  expect([timers.pending, warnings.length]).toEqual([0, 2])
})

test("one that was closed while it connected asks for nothing more", async () => {
  const { listener, heard, timers, clients } = listening(["connects"])
  await listener.close()
  await settled()
  clients[0]?.emit("error", new Error("late"))
  expect([heard.includes("message "), timers.pending]).toEqual([false, 0])
})
