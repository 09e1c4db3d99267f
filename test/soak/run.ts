import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { afterRound, commandOf, nextRound, type Progress, progressOf, type Round, tableOf } from "./plan.ts"
import { tasks } from "./tasks.ts"

const usage = `Repeats the tests of test/soak/tasks.ts with ever other seeds until each has done what is asked for.
It continues from test/soak/progress.json and keeps test/soak/RESULTS.md. Ctrl-C stops it; the round under way is then lost.

  npm run test:soak                    until every target is reached
  npm run test:soak -- --rounds 13     so many rounds
  npm run test:soak -- --only kills    only tasks whose names hold this`

const fileIn = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const vitest = fileIn("../../node_modules/vitest/vitest.mjs")
const [progressFile, resultsFile, root] = [fileIn("progress.json"), fileIn("RESULTS.md"), fileIn("../../")]

const { values } = parseArgs({
  options: { rounds: { type: "string" }, only: { type: "string" }, help: { type: "boolean" } },
})
const chosen = tasks.filter(({ name }) => name.includes(values.only ?? ""))
const mostRounds = Number(values.rounds ?? Number.POSITIVE_INFINITY)

/** Runs a round in a process of its own; true when its tests passed. */
async function play(round: Round): Promise<boolean> {
  const { env, args } = commandOf(round)
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, env: { ...process.env, ...env }, stdio: "inherit" })
  const [code] = await once(child, "exit")
  return code === 0
}

function save(progress: Progress): void {
  const lines = Object.entries(progress).map(
    ([name, { done, rounds, failedSeeds }]) =>
      `  ${JSON.stringify(name)}: { "done": ${done}, "rounds": ${rounds}, "failedSeeds": [${failedSeeds.join(", ")}] }`,
  )
  writeFileSync(progressFile, `{\n${lines.join(",\n")}\n}\n`)
  const text = readFileSync(resultsFile, "utf8")
  const before = text.slice(0, text.indexOf("| what |"))
  writeFileSync(resultsFile, `${before}${tableOf(tasks, progress)}\n`)
}

async function soak(): Promise<boolean> {
  let progress: Progress = existsSync(progressFile) ? JSON.parse(readFileSync(progressFile, "utf8")) : {}
  let hasPassed = true
  for (let played = 0; played < mostRounds; played++) {
    const round = nextRound(chosen, progress)
    if (round === undefined) break
    const { env, args } = commandOf(round)
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    console.log(`\n── ${round.task.name}, round ${round.seed}: ${settings.join(" ")} vitest ${args.join(" ")}`)
    const roundPassed = await play(round)
    progress = afterRound(progress, round, roundPassed)
    save(progress)
    hasPassed &&= roundPassed
    const { done } = progressOf(progress, round.task)
    console.log(`${roundPassed ? "passed" : "FAILED"}: ${done} of ${round.task.target} ${round.task.name}`)
  }
  return hasPassed
}

if (values.help) console.log(usage)
else process.exitCode = (await soak()) ? 0 : 1
