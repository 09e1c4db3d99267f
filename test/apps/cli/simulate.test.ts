import { describe, expect, onTestFinished, test } from "vitest"
import { readScript } from "../../../src/apps/cli/simulate/read-script.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import type { Message } from "../../../src/core/span.ts"
import { isLong, size } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { jsonLines } from "../../support/terminal.ts"
import { run } from "./run.ts"

const cat = `# a cat
start 2026-01-05
days 6
day 2 at 20:00 say "My cat is called Miso."
every day say "Good morning!" | "Hello!"
`
type Lives = readonly (readonly [locale: string, ...profiles: string[]])[]
/** Every profile that recalls, two by two as far as they go. */
const pairs: Lives = [
  ["zh-CN", "layered", "root"],
  ["zh-CN", "fay", "stack"],
  ["zh-CN", "stack-cached"],
  ["en", "layered", "root"],
  ["en", "fay", "stack"],
  ["en", "stack-cached"],
]

/** A long run lives each script with each profile in each language; shorter ones with one profile in a language, the quick one in English. */
const livesOf = (...some: Lives): Lives => (isLong ? pairs : size === "ci" ? some : some.slice(0, 1))

/** Lives a script of `scripts/` with one profile or two. */
async function played(name: string, locale: string, [one = "", other]: readonly string[]) {
  const script = new URL(`./scripts/${name}.${locale}.sim`, import.meta.url).pathname
  const profiles = ["--profile", one, ...(other === undefined ? [] : ["--with", other])]
  const { stdout, stderr } = await run(["simulate", script, ...profiles, "--locale", locale, "--json"])
  const lives = jsonLines(stdout) as { profile: string; checks: { isMet: boolean; reason: string }[] }[]
  expect(lives.map(({ profile }) => profile)).toEqual(other === undefined ? [one] : [one, other])
  return { lives, stderr }
}

const at = (text: string) => `${tempFolder({ "cat.sim": text })}/cat.sim`

describe("H7: promptstrata simulate", () => {
  test("lives the days of a script with two profiles, tells what is remembered, and holds its expectations", async () => {
    const script = at(`${cat}expect remembered "Miso" on day 6\nexpect forgotten "Miso" on day 1\nexpect prompt under 9000\n`)
    const { code, stdout, stderr } = await run(["simulate", script, "--profile", "root", "--with", "fay", "--locale", "en"])
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/"Miso"\n {2}day 2: remembered, in history\n {2}day 3: remembered, in events/)
    expect(stdout).toMatch(/in all +root +fay\n/)
  })

  test.each(livesOf(["en", "layered"], ["zh-CN", "stack"]).map((life) => ({ life })))(
    "H7 of thirty things that were told in sixty days nearly all are found on the last one: $life",
    async ({ life: [locale, ...profiles] }) => {
      const { lives } = await played("sixty-days", locale, profiles)
      for (const { checks } of lives) {
        expect(checks).toHaveLength(30)
        expect(checks.filter(({ isMet }) => isMet).length).toBeGreaterThanOrEqual(27)
      }
    },
  )

  test.each(livesOf(["en", "fay"], ["zh-CN", "root"]).map((life) => ({ life })))(
    "H3 R20 the prompt of day 60 is under 1.2 times that of day 10, and what it left out comes back when asked for: $life",
    async ({ life: [locale, ...profiles] }) => {
      const { lives, stderr } = await played("growth", locale, profiles)
      expect(stderr).toBe("")
      for (const { checks } of lives) expect(checks.map(({ isMet }) => isMet)).toEqual(Array(6).fill(true))
      const root = lives.find(({ profile }) => profile === "root")
      if (root) expect(root.checks[3]?.reason).toMatch(/on day 60 .* stands in events/)
    },
  )

  test.each([
    ["spring, where 2:30 comes an hour later", "2026-03-07", "2026-03-08", "2026-03-08 03:30"],
    ["autumn", "2026-10-31", "2026-11-01", "2026-11-01 02:30"],
  ])("H19 each line is said at its time where clocks change: in %s", async (_, start, changed, asked) => {
    const script = `start ${start}
days 2
every day at 2:30 say "What time is it?"
every day at 3:00 say "Which time is it?"
expect remembered "${changed} 03:00" on day 2
expect remembered "${asked}" on day 2
`
    const folder = tempFolder({ "clocks.sim": script, "york.toml": 'extends = "root"\ntime_zone = "America/New_York"\n' })
    const { code, stderr } = await run(["simulate", `${folder}/clocks.sim`, "--profile", `${folder}/york.toml`, "--locale", "en"])
    expect([code, stderr]).toEqual([0, ""])
  })

  test("in a project takes the only profile of its folder, as other commands do", async () => {
    const folder = tempFolder({
      "profiles/york.toml": 'extends = "layered"\nlocale = "en"\n',
      "cat.sim": 'days 1\nday 1 say "Hello!"\n',
    })
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(folder)
    const { code, stdout, stderr } = await run(["simulate", "cat.sim", "--json"])
    expect([code, jsonLines(stdout).map(({ profile }) => profile)]).toEqual([0, ["york"]])
    expect(stderr).toContain("Profile: profiles/york.toml\n")
  })

  test("H7 tools look at the simulated clock, so that two runs print the same", async () => {
    const asked = at(
      `start 2026-01-05\ndays 2\nday 2 at 20:00 say "What time is it?"\nexpect remembered "2026-01-06 20:00" on day 2\n`,
    )
    const lived = () => run(["simulate", asked, "--profile", "root", "--locale", "en", "--json"])
    const [one, other] = [await lived(), await lived()]
    expect([one.code, one.stderr]).toEqual([0, ""])
    expect(one.stdout).toBe(other.stdout)
  })

  describe("H15: a user who finds its own words", () => {
    const lin = `start 2026-01-05
days 5
user "I am Lin, and my cat is called Miso." | "I read proofs for a publisher."
user "I sleep badly."
every 2 days at 20:00 chat 3 turns
`

    test("says the sentences of its persona, all before any comes again, and alike in each run", async () => {
      const script = at(`${lin}expect remembered "Miso" on day 5 when asked "What is my cat called?"
expect remembered "publisher" on day 2
expect remembered "sleep badly" on day 2
expect remembered "Miso" on day 2
expect prompt under 9000
`)
      const lived = () => run(["simulate", script, "--profile", "root", "--locale", "en", "--json"])
      const [one, other] = [await lived(), await lived()]
      expect([one.code, one.stderr]).toEqual([0, ""])
      expect(one.stdout).toBe(other.stdout)
      const [life] = jsonLines(one.stdout) as { days: { turns: number }[]; checks: unknown[] }[]
      expect(life?.days.map(({ turns }) => turns)).toEqual([0, 3, 0, 3, 0])
      // Four of words, and the last one on days 2 and 4 alone.
      expect(life?.checks).toHaveLength(6)
    })

    /** A model that writes a user's lines, or fails. */
    function writer(line: (asked: readonly Message[]) => string): LanguageModel {
      return {
        ...{ id: "writer", capabilities: { developerRole: false, tools: false } },
        async *stream({ messages }) {
          yield { type: "text-delta", delta: line(messages) }
          yield { type: "finish", reason: "stop" }
        },
      }
    }
    const playedBy = (script: string, line: (asked: readonly Message[]) => string) =>
      run(["simulate", script, "--profile", "layered", "--locale", "en", "--json", "--user-model", "small"], {
        model: writer(line),
      })

    test("is played by a model from its persona, the time and the last answers, within a bound", async () => {
      const asked: (readonly Message[])[] = []
      const script = at(`${lin}expect remembered "line 4" on day 5\n`)
      const { code, stderr } = await playedBy(
        script,
        (messages) => `<think>hm</think>line ${asked.push(messages)} ${"x".repeat(600)}`,
      )
      expect([code, stderr]).toEqual([0, ""])
      expect(asked).toHaveLength(6)
      expect(asked[0]?.map(({ role }) => role)).toEqual(["system", "user"])
      expect(asked[0]?.[0]?.content).toContain(
        "I am Lin, and my cat is called Miso.\nI read proofs for a publisher.\nI sleep badly.",
      )
      expect(asked[4]?.[1]?.content).toBe("It is 2026-01-08 20:01. What do you write?")
      const before = asked[4]?.slice(2) ?? []
      expect(before.map(({ role }) => role)).toEqual(Array(4).fill(["assistant", "user"]).flat())
      expect(before[0]?.content).toMatch(/^line 1 x+…$/)
      expect(before[0]?.content.length).toBeLessThanOrEqual(500)
      expect(before.every(({ content }) => content !== "")).toBe(true)
    })

    test("H16 a model whose tokens were all thoughts is asked again without a bound, and that is told", async () => {
      const bounds: (number | undefined)[] = []
      const line: LanguageModel = {
        ...{ id: "thinker", capabilities: { developerRole: false, tools: false } },
        async *stream({ maxOutputTokens }) {
          bounds.push(maxOutputTokens)
          yield { type: "thinking-delta", delta: "hm" }
          if (bounds.length !== 2) yield { type: "text-delta", delta: "I sleep badly." }
          yield { type: "finish", reason: bounds.length === 2 ? "length" : "stop" }
        },
      }
      const args = ["--profile", "layered", "--locale", "en", "--json", "--user-model", "small"]
      const { code, stderr } = await run(["simulate", at(lin), ...args], { model: line })
      expect([code, bounds.slice(0, 4)]).toEqual([0, [2_000, 2_000, undefined, 2_000]])
      expect(stderr.trim()).toBe(
        "The model of the user wrote no line for day 2 within 2000 tokens, and is asked without a bound.",
      )
    })

    test.each([
      [
        "the server is gone",
        () => {
          throw new Error("the server is gone")
        },
      ],
      ["its answer is empty", () => "<think>hm</think>"],
    ])("ends the simulation if its model fails: %s", async (reason, line) => {
      const { code, stdout, stderr } = await playedBy(at(lin), line)
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(/cat\.sim:5:1: the model of the user wrote no line for day 2: /)
      expect(stderr).toContain(reason)
    })
  })

  test("shows a failed expectation, and one whose day never comes, at its place, and ends with 1", async () => {
    const script = at(`${cat}expect remembered "dog" on day 3\nexpect prompt under 4000 on day 40\n`)
    const { code, stderr } = await run(["simulate", script, "--profile", "root", "--locale", "en"])
    expect(code).toBe(1)
    expect(stderr).toContain(
      'cat.sim:6:1: on day 3 "dog" is in no part of the prompt.\n6 | expect remembered "dog" on day 3\n  | ^',
    )
    const growing = at(`${cat}expect prompt under 101 % of day 1 on day 6\nexpect prompt under 101 % of day 1 on day 2\n`)
    const grown = await run(["simulate", growing, "--profile", "fay", "--locale", "en"])
    expect([grown.code, grown.stderr]).toEqual([
      1,
      expect.stringMatching(/cat\.sim:6:1: the largest prompt of day 6 has \d+ tokens, that of day 1 has \d+\./),
    ])
    expect(stderr).toContain("cat.sim:7:1: day 40 never comes: the script ends with day 6.")
  })

  test("prints data, and a page that holds no text of the script as HTML", async () => {
    const script = at(`${cat}expect forgotten "<script>x" on day 2\n`)
    const lived = jsonLines(
      (await run(["simulate", script, "--profile", "root", "--days", "2", "--json", "--locale", "en"])).stdout,
    )
    expect(lived).toMatchObject([
      {
        profile: "root",
        days: [
          { day: 1, turns: 1 },
          { day: 2, turns: 2 },
        ],
        checks: [{ isMet: true }],
      },
    ])
    const page = (await run(["simulate", script, "--profile", "root", "--days", "2", "--html", "--locale", "en"])).stdout
    expect(page).toContain("&lt;script&gt;x")
    expect(page).not.toContain("<script")
  })

  test.each([
    ['day 1 at 25:00 say "a"', 10, "expected a time of the day, such as 20:15, found 25:00."],
    ['dya 1 say "a"', 1, "expected one of start, days, user, day, every, expect, found dya."],
    ["day 1 say a", 11, 'expected a text in quotation marks, such as "cat", found a.'],
    ['day 1 say "a', 11, 'expected a text in quotation marks, such as "cat", found "a.'],
    ["start 2026-02-30", 7, "expected a day that exists, such as 2026-01-05, found 2026-02-30."],
    ['expect remembered "a"', 22, "expected on and a day, such as on day 40, found the end of the line."],
    ['day 1 say "a" "b"', 15, 'expected the end of the line, found "b".'],
    ["expect prompt under 120 % of day 10 on day 9", 45, "expected on and a day after day 10, found the end of the line."],
    ["expect prompt under 120 % of day 10", 36, "expected on and a day after day 10, found the end of the line."],
    ["expect prompt under 120%", 21, "expected a number of tokens or, before %, a percentage, from 1 to 1000000000, found 120%."],
    ["day 1 chat 2 turns", 7, 'expected say, or a line user "..." before one with chat, found chat.'],
    ['user "I am Lin."\nday 1 chat 0 turns', 12, "expected a number of turns, from 1 to 100, found 0."],
    ['user "I am Lin."\nday 1 chat 2', 13, "expected one of turns, turn, found the end of the line."],
    ["user Lin", 6, 'expected a text in quotation marks, such as "cat", found Lin.'],
    ['days 5\nday 9 say "a"', 1, "expected a day up to 5, the last one, found day 9: nothing is said."],
    ['every day from day 4 until day 3 say "a"', 1, "expected a day up to 3, the last one, found day 4: nothing is said."],
    ["days 0", 6, "expected a number of days, from 1 to 3660, found 0."],
  ])("H7 H17 tells the place of a mistake: %s", (line, column, message) => {
    expect(() => readScript("a.sim", `# first\n${line}\n`)).toThrow(
      expect.objectContaining({
        code: "script",
        source: { file: "a.sim", line: line.split("\n").length + 1, column },
        message: expect.stringContaining(message),
      }),
    )
  })
})
