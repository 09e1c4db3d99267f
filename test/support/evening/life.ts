import { z } from "zod"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { scheduleTools } from "../../../src/node/schedule-tools.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { countingIds, manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { picture } from "../../examples/support/picture.ts"
import { callTool, finish } from "../agents.ts"
import { tempFolder } from "../temp-folder.ts"

/** The photo of the evening. */
export const base64 = picture.toString("base64")

/** A way in which a person talks with the character. Each resolves once the person sees what came of it. */
export interface Door {
  showPhoto(words: string): Promise<void>
  say(words: string): Promise<void>
  /** The process ends, and the next one begins. */
  restart(): Promise<void>
  /** Allows the call that the person was asked about. */
  allow(): Promise<void>
  /** Asks for another answer than the last. */
  again(): Promise<void>
  /** The words that came, in their order; a question as the call that it asks about. */
  seen(): readonly string[]
}

/** The call that a question asks about, or the words. */
export const shownCall = (text: string) => /may I do this\? (\S+\(.*?\))/.exec(text)?.[1] ?? text.trim()

/**
 * The life behind a door: what outlives a process, and the parts of the next one. `after` are the answers to words after the alarm was
 * due, and `looks` the steps before the character sees the photo. The tool asks before its call, or in the middle of its work.
 */
export function life(after: readonly string[], looks: readonly string[] = [], asks: "before" | "midway" = "before") {
  const clock = manualClock(Date.UTC(2026, 10, 27, 20))
  const timers = manualTimers(clock)
  const store = createInMemoryStore({ ports: { clock, timers } })
  const ids = countingIds()
  const paid: string[] = []
  const isMidway = asks === "midway"
  const pay = defineTool({
    ...{ name: "pay", description: "Sends money.", needsApproval: !isMidway, inputSchema: z.object({ to: z.string() }) },
    async execute({ to }, { confirm, signal }) {
      if (isMidway && !(await confirm?.({ tool: "pay", summary: `pay(to=${to})` }, signal))) return "refused"
      return `${paid.push(to)} payments`
    },
  })
  const [addSchedule] = scheduleTools({ folder: tempFolder(), clock, locale: "en" })
  const rings = ({ messages }: Shown) => JSON.stringify(messages.at(-1)).includes("An alarm that was set for")
  const models = [
    scriptedModel([...looks, finish("A cat."), callTool("pay", { to: "Eve" })], { capabilities: { attachments: ["image/*"] } }),
    scriptedModel([
      finish("Paid."),
      callTool("add_schedule", { title: "drink water", schedule_time: "+10m" }),
      finish("I will remind you."),
      (request) => finish(rings(request) ? "Drink water!" : "No alarm rings."),
      ...after.map((answer) => (request: Shown) => finish(rings(request) ? "Drink water, as I said!" : answer)),
    ]),
  ] as const
  let process = 0
  const next = () => ({
    profile: resolveProfile({
      ...{ name: "fay", dialect: "layered", persona: "You are Fay.", locale: "en", timeZone: "UTC" },
      memory: { enabled: false },
    }),
    ...{ model: models[process++] ?? models[1], store, tools: [pay, addSchedule], ports: { clock, timers, ids } },
  })
  const pass = async (ms: number, idle: () => Promise<void>): Promise<void> => {
    await idle()
    timers.advance(ms)
    for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve))
    await idle()
  }
  return { paid, models, next, pass, store }
}
interface Shown {
  readonly messages: readonly { readonly content: unknown }[]
}
export type Life = ReturnType<typeof life>
