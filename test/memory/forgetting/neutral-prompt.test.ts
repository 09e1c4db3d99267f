import { describe, expect, test } from "vitest"
import { tiktokenCounter } from "../../../src/adapters/tokenizers/tiktoken/index.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { parseEventLine, stampRange } from "../../../src/memory/forgetting/events/stamp.ts"
import { zonedCalendar } from "../../../src/memory/forgetting/events/zoned-calendar.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { countingIds, manualClock, manualTimers, scriptedModel, seededRandom } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { size } from "../../support/size.ts"

const dayMs = 86_400_000
const hourMs = 3_600_000
const timeZone = "Asia/Shanghai"
const calendar = zonedCalendar(timeZone)
const topicsADay = 2

/** What is said in each language. The cat is told of on day 17. */
const talks = {
  "zh-CN": {
    subjects: ["院子里的番茄", "新买的烤箱", "姐姐的婚礼", "合唱团排练", "坏掉的自行车", "报税的通知", "去杭州的旅行"],
    said: (subject: string, day: number) => `你好呀！今天我又在忙${subject}，花的时间比想的要长，这是第${day}次了。`,
    answer: "听起来挺辛苦的。要我说，先把小事做完，剩下的留到周末慢慢来吧。",
    cat: "今天我家的猫咪嗝噜躲进了钢琴里，我们找了好久。",
    other: "然后呢？",
    first: /^(?:用户|我)说“.+”/,
  },
  en: {
    subjects: ["the garden", "a bread oven", "my sister's wedding", "the choir", "a broken bicycle", "the tax letter", "a trip"],
    said: (subject: string, day: number) =>
      `I have been busy with ${subject} again, and it took longer than I thought, day ${day}.`,
    answer: "That sounds like a lot of work. I would do the small things first and leave the rest for the weekend.",
    cat: "My cat Miso hid in the piano today, we looked for her everywhere.",
    other: "And now?",
    first: /^(?:User|I) said “.+”/,
  },
} as const

/** A life with the shipped profile, its rule writing the events. Days and turns pass by an injected clock. */
async function live(locale: keyof typeof talks) {
  const { subjects, said, answer, cat, other } = talks[locale]
  const clock = manualClock(Date.UTC(2026, 0, 5, 2))
  const counter = await tiktokenCounter({ encoding: "o200k_base" })
  const agent = createAgent({
    profile: { ...(await loadProfile("root", { locale })), timeZone },
    model: scriptedModel(Array.from({ length: 61 * topicsADay + 1 }, () => finish(answer))),
    ports: { clock, timers: manualTimers(clock), ids: countingIds(), random: seededRandom(1), counter },
  })
  const session = agent.session("talk")
  const say = async (text: string) => {
    expect((await session.send(text).result).trace.error).toBeUndefined()
    await agent.idle()
  }
  const system = async () => {
    const { messages } = await session.preview(other)
    const text = messages.flatMap(({ role, content }) => (role === "system" ? [content] : [])).join("\n")
    return text.slice(text.indexOf("<event>\n") + 8, text.indexOf("\n</event>")).split("\n")
  }
  return {
    system,
    async liveDay(day: number) {
      for (let turn = 0; turn < topicsADay; turn++) {
        await say(day === 17 && turn === 0 ? cat : said(subjects[(day * 3 + turn) % subjects.length] ?? "", day))
        clock.advance(2 * hourMs)
      }
      clock.advance(dayMs - topicsADay * 2 * hourMs)
    },
  }
}

describe.each(size === "quick" ? (["zh-CN"] as const) : (["zh-CN", "en"] as const))("60 days in %s", (locale) => {
  test("R20, R21: a prompt whose question brings nothing back shows no time twice, and tells in the first person", async () => {
    const { first } = talks[locale]
    const { system, liveDay } = await live(locale)
    for (let day = 1; day <= 60; day++) {
      await liveDay(day)
      if (day % 10 !== 0) continue
      const events = await system()
      const ranges = events.map((line) => stampRange(parseEventLine(line)?.stamp as never, calendar))
      for (const [at, { startMs }] of ranges.entries()) expect(startMs).toBeGreaterThanOrEqual(ranges[at - 1]?.endMs ?? 0)
      expect(parseEventLine(events.at(-1) ?? "")?.text).toMatch(first)
    }
  })
})
