import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createAgent } from "../../src/agent/agent.ts"
import type { Session } from "../../src/agent/session.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import { openDocuments } from "../../src/node/living-documents.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { TurnHook } from "../../src/services/turn-hook.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { cpuMs, formatMs, formatRatio, median } from "./measure.ts"

const runs = 25
const sizes = [20_000, 200_000] as const
const words = "- 2026-02-08 主人开始做桌面宠物项目。She likes baking bread on Saturdays.\n"

/** CPU of a turn's reading and assembling of the three living documents; the gates are counts. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const [small, large] = [await countedWork(sizes[0]), await countedWork(sizes[1])]
  return {
    title: `A turn's reading and assembling of three living documents (median of ${runs})`,
    rows: peers ? await rows() : [],
    gates: [
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

async function rows(): Promise<Row[]> {
  const times: number[] = []
  for (const characters of sizes) times.push(await turnMs(characters))
  return [
    ...sizes.map((characters, at) => ({
      characters: `3 × ${characters.toLocaleString("en")}`,
      "a turn": formatMs(times[at] ?? 0),
      "against the first": formatRatio(times[at] ?? 0, times[0] ?? 1),
    })),
    { characters: "bound, 3 × 20,000", "a turn": "5 ms" },
  ]
}

async function turnMs(characters: number): Promise<number> {
  return inFolder(characters, async (folder) => {
    const { hook } = await openDocuments(folder, { maxCharacters: characters })
    const session = sessionWith(hook)
    for (let warm = 0; warm < 10; warm++) await session.preview("hello")
    const times: number[] = []
    for (let at = 0; at < runs; at++) times.push(await cpuMs(async () => void (await session.preview("hello"))))
    return median(times)
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
