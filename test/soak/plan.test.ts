import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { amounts } from "../support/size.ts"
import { root } from "../support/source-files.ts"
import { afterRound, commandOf, nextRound, type Progress, type SoakTask, tableOf } from "./plan.ts"
import { tasks } from "./tasks.ts"

const task = (name: string, target: number, more: Partial<SoakTask> = {}): SoakTask => ({
  name,
  project: "long",
  file: "a.test.ts",
  perRound: 10,
  target,
  ...more,
})

describe("a soak", () => {
  test("takes the task that is furthest from its target, with a new seed each round, until all are reached", () => {
    const both = [task("a", 20), task("b", 40)]
    const played: string[] = []
    let progress: Progress = {}
    for (let round = nextRound(both, progress); round; round = nextRound(both, progress)) {
      played.push(`${round.task.name}${round.seed}`)
      // As if it had been stopped and started again after each round.
      progress = JSON.parse(JSON.stringify(afterRound(progress, round, true)))
    }
    expect(played).toEqual(["a1", "b1", "b2", "a2", "b3", "b4"])
  })

  test("keeps the seed of a round that failed, and does not count what it did", () => {
    const one = task("a", 20)
    const progress = afterRound({}, { task: one, seed: 1 }, false)
    expect(progress).toEqual({ a: { done: 0, rounds: 1, failedSeeds: [1] } })
    expect(nextRound([one], progress)?.seed).toBe(2)
    expect(tableOf([one], progress)).toContain("| a | 0 | 20 | 1–1 | 1 |")
  })

  test("sets the size, the seed and the amount of a round", () => {
    const round = { task: task("a", 20, { variable: "MAD_TURNS", tests: "b" }), seed: 3 }
    expect(commandOf(round)).toEqual({
      env: { TEST_SIZE: "soak", TEST_SEED: "3", MAD_TURNS: "10" },
      args: ["run", "--project", "long", "a.test.ts", "-t", "b"],
    })
  })

  test("has tasks with names of their own, which set amounts that tests know", () => {
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(tasks.length)
    const unknown = tasks.filter(({ variable }) => variable !== undefined && !(variable in amounts))
    expect(unknown).toEqual([])
  })

  test("has tasks whose files hold the tests that they name, and are part of a long run", () => {
    for (const { file, tests = "", project } of tasks) {
      const text = readFileSync(root + file, "utf8")
      expect(text, file).toMatch(new RegExp(tests))
      expect(text, file).toContain("support/size.ts")
      expect(project === "long-postgres", file).toBe(file.startsWith("test/adapters/stores/postgres/"))
    }
  })
})
