import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import type { Assembly } from "../../src/core/span.ts"
import type { Scope } from "../../src/index.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import { expectStablePrefix, manualClock, scriptedModel } from "../../src/testing/index.ts"
import { testAgent } from "../support/agents.ts"
import { childEnv } from "../support/child-env.ts"
import { root } from "../support/source-files.ts"
import { said, turnState } from "../support/turns.ts"

/** A request on a day, whose persona names the day. */
function onDay(day: number, { dialect = "layered", scope = "global" }: { dialect?: string; scope?: Scope } = {}): Assembly {
  const stack = new PromptStack([{ key: "persona", content: `You are Fay. Today is 2026-01-0${day}. Be kind.`, scope }])
  const history = [said("user", "Hi"), said("assistant", "Hello")].slice(0, day)
  return assemble(stack, { dialect, turn: turnState(`Question ${day}`, { history, memories: [{ text: `memory ${day}` }] }) })
}

function thrownBy(work: () => void): PromptStrataError {
  try {
    work()
  } catch (thrown) {
    if (PromptStrataError.isInstance(thrown)) return thrown
    throw thrown
  }
  throw new Error("nothing was thrown")
}

describe("S15 expectStablePrefix", () => {
  test("fails when a persona holds the date, and shows where", () => {
    const { code, message } = thrownBy(() => expectStablePrefix([onDay(1), onDay(1), onDay(2)]))
    expect(code).toBe("test")
    expect(message).toMatch(
      /^The stable part of the prompt changed between request 2 and request 3, so that a cache loses \d+ tokens:\n/,
    )
    expect(message).toContain(
      "persona (global, layered/en/planner.md:5) changed at message 1, character 32, though it claims not to change\n",
    )
    expect(message).toContain("  before: …are Fay. Today is 2026-01-0⟦1. Be kind.")
    expect(message).toContain("  now:    …are Fay. Today is 2026-01-0⟦2. Be kind.")
    expect(message).toContain('scope "turn"')
  })

  test("passes what changes in a turn's own layers, in history and in the question", () => {
    for (const dialect of ["layered", "fay", "stack", "stack-cached"]) {
      const make = (day: number) => onDay(day, { dialect, scope: "turn" })
      expect(() => expectStablePrefix([make(1), make(2), make(1)])).not.toThrow()
    }
  })

  test("finds a stable layer that changes behind one that changes anyway, and says what stands before it", () => {
    const { message } = thrownBy(() => expectStablePrefix([onDay(1, { dialect: "fay" }), onDay(2, { dialect: "fay" })]))
    expect(message).toContain('The layer "persona" changed between request 1 and request 2, though it claims to be stable.')
    expect(message).toContain("question (turn, fay/en/question.md:2) changed")
  })

  test("fails when a stable layer comes or goes", () => {
    const make = (keys: readonly string[]) =>
      assemble(new PromptStack(keys.map((key) => ({ key, content: `text of ${key}`, scope: "session" as const }))), {
        dialect: "stack",
        prompt: "chat",
        turn: turnState("?"),
      })
    expect(thrownBy(() => expectStablePrefix([make(["a"]), make(["a", "b"])])).message).toContain("b (session, stack/en/rest.md:")
    expect(thrownBy(() => expectStablePrefix([make(["a", "b"]), make(["a"])])).message).toContain(" was removed")
    expect(() => expectStablePrefix([make(["a", "b"]), make(["a", "b"])])).not.toThrow()
  })

  test("compares at least two requests, or it would pass whatever is wrong", () => {
    expect(thrownBy(() => expectStablePrefix([onDay(1)])).message).toContain("found 1")
    expect(thrownBy(() => expectStablePrefix([])).code).toBe("test")
  })

  test("previews a session's turns: a hook that puts the date into the persona is found", async () => {
    const clock = manualClock(Date.UTC(2026, 0, 1))
    const day = () => new Date(clock.nowMs()).toISOString().slice(0, 10)
    const dated = (scope: Scope) =>
      testAgent(
        scriptedModel([]),
        { dialect: "layered" },
        {
          hooks: [
            {
              name: "date",
              beforeTurn: ({ stack }) => void stack.add({ key: "format", content: `It is ${day()}.`, scope }),
            },
          ],
        },
      ).session
    const options = { questions: ["Hi", "Hello"], between: () => clock.advance(86_400_000) }
    await expect(expectStablePrefix(dated("session"), options)).rejects.toThrow(
      /format \(session.*\) changed at .*, though it claims[\s\S]*2026-01-0⟦1[\s\S]*2026-01-0⟦2/,
    )
    await expect(expectStablePrefix(dated("turn"), options)).resolves.toBeUndefined()
  })

  const imported = (name: string, module: string) =>
    `import { ${name} } from ${JSON.stringify(pathToFileURL(join(root, `src/${module}.ts`)).href)}`

  test("fails a test of node:test too, with the same words", () => {
    mkdirSync(join(root, "test/.tmp"), { recursive: true })
    const folder = mkdtempSync(join(root, "test/.tmp/"))
    try {
      const file = join(folder, "stable.test.ts")
      writeFileSync(
        file,
        `import { test } from "node:test"
${imported("expectStablePrefix", "testing/expect-stable-prefix")}
${imported("assemble", "prompt/assemble/assemble")}
${imported("PromptStack", "prompt/stack/prompt-stack")}
const on = (day: string) => assemble(new PromptStack([{ key: "persona", content: "Today is " + day, scope: "global" }]))
test("stays", () => expectStablePrefix([on("Monday"), on("Monday")]))
test("changes", () => expectStablePrefix([on("Monday"), on("Sunday")]))
`,
      )
      const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter", "tap", file], {
        encoding: "utf8",
        env: childEnv(),
      })
      expect(status).toBe(1)
      expect(stdout).toMatch(/^\s*ok 1 - stays/m)
      expect(stdout).toMatch(/^\s*not ok 2 - changes/m)
      expect(stdout).toContain("Today is ⟦Monday")
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
