import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TokenCounter } from "../../src/core/ports.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import type { TurnHook } from "../../src/memory/services/turn-hook.ts"
import { openDocuments } from "../../src/node/living-documents.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import type { BenchResult } from "./bench.ts"
import { formatMs, formatRatio, isWithin, mediansInTurn, ratioGate } from "./measure.ts"

const runs = 25
const sizes = [20_000, 200_000] as const
const words = "- 2026-02-08 主人开始做桌面宠物项目。She likes baking bread on Saturdays.\n"

/** A turn of long documents to one of documents of a line: more than is measured, and less than twice as much. */
const most = 1.8

const lineLength = words.length

/** CPU of a turn's reading and assembling of the three living documents. */
export async function run(): Promise<BenchResult> {
  const [small, large] = [await countedWork(sizes[0]), await countedWork(sizes[1])]
  const ms = await turnsMs()
  return {
    title: `A turn's reading and assembling of three living documents (median of ${runs})`,
    rows: [...sizes, lineLength].map((characters, at) => ({
      characters: `3 × ${characters.toLocaleString("en")}`,
      "a turn": formatMs(ms[at] ?? Number.NaN),
      "to the least": formatRatio(ms[at] ?? Number.NaN, ms.at(-1) ?? Number.NaN),
    })),
    gates: [
      ratioGate("a turn of 3 × 20,000 characters, to one of three lines", [ms[0] ?? Number.NaN, ms[2] ?? Number.NaN], most),
      {
        name: "each document is read once a turn",
        ok: small.reads === 3 && large.reads === 3,
        detail: `${small.reads} and ${large.reads} reads`,
      },
      {
        name: "ten times the text is at most eleven times the characters counted",
        ok: large.counted <= 11 * small.counted,
        detail: `${small.counted} and ${large.counted} characters for ${sizes.join(" and ")}`,
      },
    ],
  }
}

/** The median CPU of a turn for each of the sizes, and of one whose documents have a line each. */
function turnsMs(): Promise<number[]> {
  const [first, second] = sizes
  return withDocuments(first, (ofFirst) =>
    withDocuments(second, (ofSecond) =>
      withDocuments(lineLength, (ofLine) =>
        mediansInTurn([ofFirst, ofSecond, ofLine], {
          warmUps: 10,
          rounds: runs,
          holds: ([value = Number.NaN, , floor = Number.NaN]) => isWithin(most)([value, floor]),
        }),
      ),
    ),
  )
}

function withDocuments<T>(characters: number, task: (turn: () => Promise<unknown>) => Promise<T>): Promise<T> {
  return inFolder(characters, async (folder) => {
    const { hook } = await openDocuments(folder, { maxCharacters: characters })
    const session = sessionWith(hook)
    return task(() => session.preview("hello"))
  })
}

async function countedWork(characters: number): Promise<{ reads: number; counted: number }> {
  return inFolder(characters, async (folder) => {
    let reads = 0
    let counted = 0
    const counter: TokenCounter = {
      exact: false,
      count(text) {
        counted += text.length
        return text.length
      },
    }
    const { hook, workspace } = await openDocuments(folder, { maxCharacters: characters, counter })
    const session = sessionWith(hook, counter)
    const { read } = workspace
    const counting: typeof read = (...args) => {
      reads++
      return read(...args)
    }
    Object.assign(workspace, { read: counting })
    await session.preview("hello")
    return { reads, counted }
  })
}

function sessionWith(hook: TurnHook, counter?: TokenCounter): Session {
  const profile = resolveProfile({ dialect: "soul", locale: "zh-CN" })
  const agent = createAgent({ profile, model: scriptedModel([]), hooks: [hook], ...(counter ? { ports: { counter } } : {}) })
  return agent.session("bench")
}

async function inFolder<T>(characters: number, task: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-bench-"))
  try {
    const text = words.repeat(Math.ceil(characters / words.length)).slice(0, characters)
    for (const name of ["SOUL.md", "USER.md", "MEMORY.md"]) writeFileSync(join(folder, name), text)
    return await task(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
