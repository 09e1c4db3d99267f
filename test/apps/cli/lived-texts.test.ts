import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import type { CliContext } from "../../../src/apps/cli/context.ts"
import { live } from "../../../src/apps/cli/simulate/live.ts"
import { readScript } from "../../../src/apps/cli/simulate/read-script.ts"
import { type Assembly, type Span, spanRuns } from "../../../src/core/span.ts"
import { defaultSelection } from "../../../src/memory/forgetting/events/select-events.ts"
import { parseEventLine, stampRange } from "../../../src/memory/forgetting/events/stamp.ts"
import { zonedCalendar } from "../../../src/memory/forgetting/events/zoned-calendar.ts"
import { friendModel } from "../../support/friend-model.ts"
import { isLong, size } from "../../support/size.ts"

/** The days whose texts a person reads. */
const days = [1, 7, 30, 60]
/** Parts that do not grow over the days, or have goldens of their own. */
const others = ["", "history", "question", "steps", "runs", "prestart"]
const calendar = zonedCalendar("UTC")

/** A life as `scripts/life.*.sim` tells it, with a friend's answers. */
async function lived(profile: string, locale: "zh-CN" | "en") {
  const file = new URL(`./scripts/life.${locale}.sim`, import.meta.url)
  const context = { io: { env: {} }, screen: {}, translate: (text: string) => text } as unknown as CliContext
  const chooseModel = () => ({ model: friendModel(locale), demo: false })
  const requests: LivedSpans[] = []
  const onAssembly = ({ spans }: Assembly, day: number) => void requests.push({ spans, day })
  const options = { profile, locale, dataDir: "", chooseModel, onAssembly }
  return { ...(await live(readScript("life.sim", readFileSync(file, "utf8")), options, context)), requests }
}

/** The spans of a request, and its day. */
interface LivedSpans {
  readonly spans: readonly Span[]
  readonly day: number
}

/** What stands in a request by its memory: the parts that have words of somebody else than the author, each below its key. */
function grownParts(spans: readonly Span[]): string {
  const runs = spanRuns(spans).filter(
    ([{ key }, ...rest]) => !others.includes(key) && rest.some(({ trust, part }) => part === "content" && trust !== "author"),
  )
  return runs
    .map(
      (run) =>
        `### ${run[0].key}\n\n${run
          .map(({ text }) => text)
          .join("")
          .trim()}\n`,
    )
    .join("\n")
}

/** The events of a request stand in order of time, and only those that come back lie in a time that is shown already. The newest tells in the first person. */
function expectEventsInOrder(spans: readonly Span[]): void {
  const [run] = spanRuns(spans).filter(([{ key }]) => key === "events")
  const lines = (run ?? [])
    .map(({ text }) => text)
    .join("")
    .trim()
    .split("\n")
  const events = lines.map((line) => parseEventLine(line))
  let [until, cameBack] = [0, 0]
  for (const event of events) {
    const { startMs, endMs } = stampRange(event?.stamp as never, calendar)
    if (startMs < until) {
      expect(endMs).toBeLessThanOrEqual(until)
      cameBack++
    }
    until = Math.max(until, endMs)
  }
  expect(cameBack).toBeLessThanOrEqual(defaultSelection.broughtBack)
  expect(events.at(-1)?.text).toMatch(/^(?:(?:用户|我)说“|(?:User|I) said “).+”$/)
}

const lives = (["zh-CN", "en"] as const).flatMap((locale) =>
  ["root", "layered", "fay", "stack", "soul"].map((profile) => [profile, locale] as const),
)

/** A quick run lives one, that of `.ci/run` each profile in one language, a long one all. */
const tried = lives.filter((_, at) => isLong || (size === "ci" ? at % 2 === 0 : at === 0))

describe("H3 R20 R21 the texts of sixty days", () => {
  test.each(tried)("read well with %s in %s", async (profile, locale) => {
    const { requests, checks, failures } = await lived(profile, locale)
    const isKept = ({ expectation }: (typeof checks)[number]) => profile !== "soul" || expectation.kind === "prompt"
    expect([failures, checks.filter((check) => isKept(check) && !check.isMet)]).toEqual([[], []])
    const texts = days.map(
      (day) => `## Day ${day}\n\n${grownParts(requests.findLast((one) => one.day === day)?.spans ?? []) || "Nothing yet.\n"}`,
    )
    await expect(texts.join("\n")).toMatchFileSnapshot(`__snapshots__/lives/${profile}.${locale}.md`)
    if (profile !== "root") return
    // From the second day on: on the first nothing has become an event. A process of the profile has none in its requests.
    const withEvents = requests.filter(({ spans }) => spans.some(({ key }) => key === "events"))
    expect(new Set(withEvents.map(({ day }) => day)).size).toBe(59)
    for (const { spans } of withEvents) expectEventsInOrder(spans)
  })
})
