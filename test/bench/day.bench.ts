import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { chatHalves, peopleChats } from "../support/people-chats.ts"
import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { type DayReport, toolCount } from "./day/parts.ts"
import { formatMs, formatRatio } from "./measure.ts"

const users = 60
const turns = 20
/** Answers that are awaited at the same time. */
const atOnce = 10
/** Turns of each user on the days before: more than a prompt shows, so that there is something to recall, and what runs is compiled. */
const pastTurns = 30
/** A little over what is measured, and less than twice as much. */
const most = { cpu: 1.6, transactions: 4, statements: 40 }

/** What the model server was sent. */
interface Sent {
  readonly requests: number
  readonly background: number
  readonly plainTokens: number
  readonly cachedTokens: number
  readonly backgroundTokens: number
}

interface Day extends DayReport {
  readonly latenciesMs: readonly number[]
  readonly bytes: number
  readonly sent: Sent
}

/**
 * A day of a chat bot with memory, a lorebook, 40 tools and background work: users who talk over HTTP, a model server in a process of
 * its own, and the same bot by hand on the AI SDK. Both write to SQLite. All words are new to their user.
 */
export async function run(_: BenchOptions): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-day-"))
  try {
    const [ours, byHand] = [await day("ours", folder), await day("by-hand", folder)]
    const perTurn = (sum: number): number => sum / (users * turns)
    const row = (what: string, of: (day: Day) => number, print: (value: number) => string): Row => ({
      what,
      promptstrata: print(of(ours)),
      "by hand on the AI SDK": print(of(byHand)),
      ratio: of(byHand) === 0 ? "" : formatRatio(of(ours), of(byHand)),
    })
    const whole = (value: number): string => Math.round(value).toLocaleString("en")
    const tenths = (value: number): string => value.toFixed(1)
    const cpuRatio = ours.cpuMs / byHand.cpuMs
    return {
      title: `A day: ${users} users, ${turns} turns each, ${atOnce} at once, over HTTP, with memory, lore, ${toolCount} tools and background work`,
      rows: [
        row("CPU a turn, with all work behind it", ({ cpuMs }) => perTurn(cpuMs), formatMs),
        row("an answer, p50", ({ latenciesMs }) => percentile(latenciesMs, 0.5), formatMs),
        row("an answer, p99", ({ latenciesMs }) => percentile(latenciesMs, 0.99), formatMs),
        row("delay of the event loop, p99", ({ loopDelayMs }) => loopDelayMs.p99, formatMs),
        row("delay of the event loop, longest", ({ loopDelayMs }) => loopDelayMs.max, formatMs),
        row("transactions a turn", ({ transactions }) => perTurn(transactions), tenths),
        row("statements a turn", ({ statements }) => perTurn(statements), tenths),
        row("bytes on disk a turn", ({ bytes }) => perTurn(bytes), whole),
        row(
          "requests to the model a turn",
          ({ sent }) => perTurn(sent.requests),
          (value) => value.toFixed(2),
        ),
        row("tokens sent a turn", ({ sent }) => perTurn(sent.plainTokens + sent.cachedTokens), whole),
        row("of these, not served by a prompt cache", ({ sent }) => perTurn(sent.plainTokens), whole),
        row("price a turn in plain tokens, cached ones at a tenth", ({ sent }) => perTurn(priceOf(sent)), whole),
        row("tokens of background work a turn", ({ sent }) => perTurn(sent.backgroundTokens), whole),
      ],
      notes: [
        "What the bot by hand lacks is told in test/bench/day/by-hand.ts: order, kept words after a crash, retries, forgetting, marks against forged words, a budget.",
      ],
      gates: [
        {
          name: `CPU a turn: at most ${most.cpu} × that of the bot by hand`,
          ok: cpuRatio <= most.cpu,
          detail: cpuRatio.toFixed(2),
        },
        {
          name: `a turn makes at most ${most.transactions} transactions and ${most.statements} statements`,
          ok: perTurn(ours.transactions) <= most.transactions && perTurn(ours.statements) <= most.statements,
          detail: `${perTurn(ours.transactions).toFixed(2)} and ${perTurn(ours.statements).toFixed(1)}`,
        },
      ],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function priceOf({ plainTokens, cachedTokens }: Sent): number {
  return plainTokens + cachedTokens / 10
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

async function day(bot: "ours" | "by-hand", parent: string): Promise<Day> {
  const folder = join(parent, bot)
  mkdirSync(folder)
  const model = start("model-server")
  const modelPort = await told<number>(model)
  const process = start(bot, `http://127.0.0.1:${modelPort}`, folder)
  const port = await told<number>(process)
  try {
    await talk(port, 0, pastTurns)
    await ask(process, "end")
    await ask(model, "begin")
    await ask(process, "begin")
    const before = bytesIn(folder)
    const latenciesMs = await talk(port, pastTurns, turns)
    const report = await ask<DayReport>(process, "end")
    return { ...report, latenciesMs, bytes: bytesIn(folder) - before, sent: await ask<Sent>(model, "end") }
  } finally {
    for (const child of [process, model]) child.kill()
  }
}

function start(name: string, ...given: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(`day/${name}.ts`, import.meta.url)), given, { stdio: ["ignore", "ignore", "inherit", "ipc"] })
}

/** The next message of a process; an error if it ends without one. */
async function told<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`a process of the day ended with ${code}`)
  })
  const [message] = (await Promise.race([once(child, "message"), ended])) as [T]
  return message
}

function ask<T>(child: ChildProcess, message: string): Promise<T> {
  const answer = told<T>(child)
  child.send(message)
  return answer
}

/** Lets all users talk, each one turn after the other, and returns how long each answer took until its end. */
async function talk(port: number, from: number, count: number): Promise<number[]> {
  const lines = chatHalves.flatMap((half) => peopleChats("en", half).flatMap((chat) => chat.lines.map(({ text }) => text)))
  const latenciesMs: number[] = []
  let next = 0
  const speak = async (): Promise<void> => {
    for (let user = next++; user < users; user = next++) {
      for (let turn = from; turn < from + count; turn++) {
        const line = lines[(user * (pastTurns + turns) + turn) % lines.length] ?? ""
        const content = turn % 5 === 4 ? `${line} Please look up what we have about it.` : line
        const begunMs = performance.now()
        const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-user": `user-${user}` },
          body: JSON.stringify({ model: "mira", stream: true, messages: [{ role: "user", content }] }),
        })
        const text = await response.text()
        if (!response.ok || !text.includes("smoky")) throw new Error(`a turn was not answered: ${text.slice(0, 300)}`)
        latenciesMs.push(performance.now() - begunMs)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, speak))
  return latenciesMs
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
