import { describe, expect, test } from "vitest"
import { lint } from "../../src/lint/lint.ts"
import type { TurnTrace } from "../../src/trace/trace.ts"
import { cleanProject, inOneLine, readProject } from "./lint-folder.ts"

const files = {
  ...cleanProject,
  "profiles/luna.toml": `${cleanProject["profiles/luna.toml"]}[tools]\nenabled = ["current_time"]\n[[prestart]]\ntool = "current_time"\ntimeout_ms = 1000\n`,
}

function turn(durationMs: number, result: string): Pick<TurnTrace, "prestart" | "runs" | "steps"> {
  const run = { id: "1", tool: "current_time", args: {}, status: "ok", durationMs, result } as const
  return { prestart: [run], runs: [{ ...run, id: "2", tool: "search" }], steps: [] }
}

async function found(turns: readonly Pick<TurnTrace, "prestart" | "runs" | "steps">[], given = files): Promise<string[]> {
  const { folder, context } = await readProject(given)
  const problems = lint({ ...context, traces: turns as readonly TurnTrace[] })
  return problems.map((problem) => inOneLine(problem).replaceAll(`${folder}/`, ""))
}

describe("with the traces of turns (T37)", () => {
  test("a prestart tool whose median time passes half of its limit is told, one slow run is not", async () => {
    expect(await found([turn(400, "x"), turn(501, "x"), turn(600, "x")])).toEqual([
      "profiles/luna.toml:9:1 warning slow-prestart: prestart tool current_time: expected a median of at most 500 ms, half its limit, found 501 ms over 3 runs.",
    ])
    expect(await found([turn(400, "x"), turn(500, "x"), turn(9000, "x")])).toEqual([])
  })

  test("a tool whose results run long is told", async () => {
    expect(await found([turn(1, "x"), turn(1, "y".repeat(2_001)), turn(1, "z".repeat(9_000))])).toEqual([
      "profiles/luna.toml:1:1 warning long-results: tool current_time: expected results of at most 2000 characters, found a median of 2001 over 3 runs.",
      "profiles/luna.toml:1:1 warning long-results: tool search: expected results of at most 2000 characters, found a median of 2001 over 3 runs.",
    ])
    expect(await found([turn(1, "y".repeat(2_000))])).toEqual([])
  })

  test("a window of history that leaves much of the budget free is told, one that is often full or keeps it for the turn is not", async () => {
    const free = (freeTokens: number, reservedTokens = 0) => {
      const windowRoom = { budgetTokens: 1000, freeTokens, reservedTokens, reason: "" }
      return { prestart: [], runs: [], steps: [{ assembly: { windowRoom } }, { assembly: {} }] } as unknown as TurnTrace
    }
    expect(await found([free(260), free(500), free(10)])).toEqual([
      "profiles/luna.toml:1:1 warning window-room: expected a window of history that leaves at most 25 % of the budget free, found a median of 26 % over 3 turns.",
    ])
    expect(await found([free(250), free(500), free(10)])).toEqual([])
    expect(await found([free(500, 300), free(500, 300)])).toEqual([])
    const filling = { ...files, "profiles/luna.toml": `${files["profiles/luna.toml"]}[history]\nwindow = "fill"\n` }
    expect(await found([free(500)], filling)).toEqual([])
    const steps = { ...files, "profiles/luna.toml": `${files["profiles/luna.toml"]}[history]\nwindow = "steps"\n` }
    expect((await found([free(500)], steps))[0]).toContain("profiles/luna.toml:12:1 warning window-room")
  })
})
