import { describe, expect, test } from "vitest"
import { z } from "zod"
import { createVirtualContext } from "../../src/memory/forgetting/plugin/virtual-context.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { manualClock } from "../../src/testing/index.ts"
import { callTool, finish } from "../support/agents.ts"
import { dataPresent, hostileStrings } from "../support/corpora.ts"
import { english, useBrowser, violations } from "./opened.ts"

const open = useBrowser()
const dayMs = 86_400_000

const put = (id: string, text: string) => callTool("put_into_workspace", { id, text })
const reported = (message: string, used: readonly string[]) =>
  JSON.stringify({ action: "finish", message, tool: "report_use", args: { used, maybe_used: [] } })

describe("the timeline", () => {
  test("shows what came, was used and was let go of, wakes with their reasons, and a job while it runs", async () => {
    const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5))
    const gate = Promise.withResolvers<void>()
    let isSlow = false
    const { agent, page, session, problems } = await open(
      [
        put("%[plan.md]", "the plan"),
        put("%[old.md]", "an old list"),
        finish("Kept."),
        reported("By the plan.", ["plan.md"]),
        reported("Are you there?", []),
      ],
      {
        clock,
        profile: { dialect: "root", locale: "en", agent: { name: "Fay" } },
        agentOptions: {
          store: createInMemoryStore(),
          plugins: [
            createVirtualContext({ locale: "en", events: { timeZone: "UTC", writer: "rule" } }),
            {
              name: "tidy",
              jobs: [{ kind: "tidy", afterTurn: () => ({}), run: () => (isSlow ? gate.promise : Promise.resolve()) }],
            },
          ],
          ports: { clock },
          onWarning: () => undefined,
        },
      },
    )
    await session.send("Keep these.").result
    clock.advance(8 * dayMs)
    await session.send("Use the plan.").result
    await agent.idle()
    clock.advance(8 * dayMs)
    isSlow = true
    const main = page.getByRole("main")
    await page.getByRole("tab", { name: "Timeline" }).click()
    await main.getByRole("row", { name: /Workspace came \(by a tool\) plan\.md · the plan/u }).waitFor()
    await session.wake("Nobody spoke for a week.").result
    await main.getByRole("row", { name: /wake answered Nobody spoke for a week\./u }).waitFor()
    await main.getByRole("row", { name: /Background running tidy · after “Nobody spoke for a week\.”/u }).waitFor()
    await page.getByRole("navigation").getByText("1 job runs").waitFor()
    await main.getByRole("row", { name: /Workspace was let go of \(before the turn\) old\.md · an old list/u }).waitFor()
    await main.getByRole("row", { name: /Events came \(before the turn\) Event · .*Keep these\./u }).waitFor()
    gate.resolve()
    await main.getByRole("row", { name: /Background done tidy · after “Nobody/u }).waitFor()
    await page.getByRole("navigation").getByText("1 job runs").waitFor({ state: "detached" })
    expect(await main.locator(".lane-name").allTextContents()).toEqual([
      "Turns",
      "Wakes",
      "Background",
      "Event",
      "Workspace: plan.md",
      "Workspace: old.md",
      "",
    ])
    expect(await violations(page)).toEqual([])
    await main.getByRole("combobox", { name: "Show" }).selectOption("the last hour")
    expect(await main.getByRole("row", { name: /Keep these/u }).count()).toBe(1)
    await page.setViewportSize({ width: 380, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(380)
    expect(await violations(page)).toEqual([])
    await page.getByRole("button", { name: "中文" }).click()
    await page.getByRole("tab", { name: "时间轴" }).waitFor()
    expect(problems).toEqual([])
  })
})

describe("text from outside", () => {
  const hostile = [
    "<script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "</textarea></script><svg onload=window.ran=1>",
    "__proto__",
    "\u202eright to left\u202c",
  ]
  const known = dataPresent ? hostileStrings() : []
  /** The strings of one field of four: each string of outside stands in one of them. */
  const field = (own: number): string => [...hostile, ...known.filter((_, at) => at % 4 === own)].join("\n")

  test("is text in results of tools, reasons of wakes, events, things of the workspace and failures of jobs", async () => {
    const short = hostile.slice(0, 3).join(" ")
    const [first, second] = [hostile[0], hostile[1]]
    const tool = defineTool({ name: "fetch", description: "Fetches.", inputSchema: z.object({}), execute: () => field(0) })
    const broken = defineTool({
      name: "break",
      description: "Breaks.",
      inputSchema: z.object({}),
      execute: () => Promise.reject(new Error(field(1))),
    })
    const { agent, page, session, problems } = await open(
      [callTool("fetch"), callTool("break"), put(short, field(2)), finish(short), reported(short, []), finish(short)],
      {
        profile: { ...english, dialect: "root" },
        agentOptions: {
          tools: [tool, broken],
          plugins: [
            createVirtualContext({ locale: "en", events: { timeZone: "UTC", writer: "rule", topicTurns: 1 } }),
            { name: "tidy", jobs: [{ kind: "tidy", afterTurn: () => ({}), run: () => Promise.reject(new Error(short)) }] },
          ],
          onWarning: () => undefined,
        },
      },
    )
    const { trace } = await session.send(`${first} ${second}`).result
    expect(trace.runs.map(({ tool: name, status }) => [name, status])).toEqual([
      ["fetch", "ok"],
      ["break", "failed"],
      ["put_into_workspace", "ok"],
    ])
    await session.wake(field(3)).result
    const main = page.getByRole("main")
    const ran = () => page.evaluate(() => (window as unknown as { ran?: number }).ran)
    const elements = () => page.locator("#app script, #app img, #app svg[onload]").count()
    for (const tab of ["Prompt", "Waterfall", "Raw", "Growth", "Timeline"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click()
      await main.getByText("window.ran").first().waitFor()
      expect([tab, await ran(), await elements()]).toEqual([tab, undefined, 0])
    }
    await page.getByRole("navigation").getByRole("button").filter({ hasText: "window.ran" }).last().click()
    await page.getByRole("tab", { name: "Background" }).click()
    await main
      .getByRole("row", { name: /tidy failed/u })
      .getByText("window.ran")
      .first()
      .waitFor()
    await page.getByRole("tab", { name: "Tools" }).click()
    for (const name of ["fetch", "break"]) {
      const run = main.getByRole("region", { name })
      await run.getByText("window.ran").first().waitFor()
      expect(await run.textContent()).toContain(hostile[2])
    }
    expect([await ran(), await elements()]).toEqual([undefined, 0])
    await agent.session("other").send("hi").result
    expect(problems).toEqual([])
  })
})
