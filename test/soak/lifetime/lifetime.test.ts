import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Child, killAfter, startChild } from "../../adapters/stores/sqlite/support/children.ts"
import { amount, seedOf, size } from "../../support/size.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { growth, median, type Point, picture } from "./curve.ts"
import type { KilledSettings } from "./killed.ts"
import type { LifeSample, LifeSettings } from "./life.ts"

/** A sample with the process that it is of, and the turns of the processes beside it so far. */
type Sample = LifeSample & { readonly life: number; readonly beside: number }

const turns = amount("LIFETIME_TURNS")
const samples = Math.min(100, Math.max(10, turns / 100))
const sessions = Math.min(2_000, turns / 20)
/** A process beside is killed at every n-th sample. */
const killEvery = size === "soak" ? 1 : 4

/** In a soak the run can be stopped: what it has done stays in this folder, and the next run goes on from there. */
function folderOfRun(): string {
  if (size !== "soak") return tempFolder()
  const folder = process.env.LIFETIME_FOLDER ?? join(root, "test/.tmp", `lifetime-${turns}-${seedOf(1)}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [])

function startOwn(name: string, settings: unknown): Child {
  return startChild(new URL(`./${name}.ts`, import.meta.url), settings, ["--expose-gc"])
}

const wordsAfter = (start: string, lines: readonly string[]) =>
  lines.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []))

/** The processes beside the long life, one after the other. Each looks for what was acknowledged to those before it, and is killed while it talks. */
class Beside {
  readonly #file: string
  readonly #acknowledged: string

  constructor(folder: string) {
    this.#file = join(folder, "store.sqlite")
    this.#acknowledged = join(folder, "acknowledged")
    appendFileSync(this.#acknowledged, "")
  }

  /** The turns that were acknowledged to all of them. */
  get turns(): number {
    return linesOf(this.#acknowledged).length
  }

  async killOne(number: number): Promise<void> {
    const child = this.#start(false)
    await child.until("ack", 2 + (seedOf(number) % 20))
    await killAfter(child, (seedOf(number) * 37) % 200)
    expect(wordsAfter("warning ", child.lines)).toEqual([])
    for (const turnId of wordsAfter("ack ", child.lines)) appendFileSync(this.#acknowledged, `${turnId}\n`)
  }

  /** Lets the last one find everything, and do the jobs that are left. */
  async endWhole(): Promise<void> {
    const child = this.#start(true)
    expect(await child.ended).toBe(0)
    expect(wordsAfter("warning ", child.lines)).toEqual([])
    expect(wordsAfter("found ", child.lines)).toEqual([String(this.turns)])
  }

  #start(isLast: boolean): Child {
    const settings: KilledSettings = { file: this.#file, acknowledged: this.#acknowledged, isLast }
    return startOwn("killed", settings)
  }
}

/** Runs the long life, or what is left of it. */
async function live(folder: string): Promise<readonly Sample[]> {
  const curveFile = join(folder, "curve.jsonl")
  const known = linesOf(curveFile).map((line): Sample => JSON.parse(line))
  const life = (known.at(-1)?.life ?? 0) + 1
  const file = join(folder, "store.sqlite")
  const settings: LifeSettings = { file, seed: seedOf(1), turns, sessions, samples, done: known.length }
  const child = startOwn("life", settings)
  await child.until("ready")
  const beside = new Beside(folder)
  const all = [...known]
  for (let number = known.length; number < samples; number++) {
    const killed = number % killEvery === 0 ? beside.killOne(number) : undefined
    await Promise.all([child.until("sample", number - known.length + 1), killed])
    const told = wordsAfter("sample ", child.lines)[number - known.length]
    expect(wordsAfter("warning ", child.lines)).toEqual([])
    if (told === undefined) throw new Error(`The long life ended after ${number} of ${samples} samples.`)
    const sample: Sample = { ...JSON.parse(told), life, beside: beside.turns }
    all.push(sample)
    appendFileSync(curveFile, `${JSON.stringify(sample)}\n`)
    if (size === "soak") console.log(`${sample.turns} of ${turns} turns, ${Math.round(sample.heapBytes / 1024)} KiB of heap`)
  }
  expect(await child.ended).toBe(0)
  expect(child.lines).toContain("whole")
  await beside.endWhole()
  return all
}

interface Curve {
  readonly title: string
  /** How much it may grow over its second half: a share of its median. After a few thousand turns some caches are not full yet. */
  readonly most?: number
  /** What its median may be. */
  readonly ceiling?: number
  readonly of: (sample: Sample) => number
}

const curves: readonly Curve[] = [
  { title: "heap after a collection, KiB", most: size === "soak" ? 0.05 : 0.1, of: ({ heapBytes }) => heapBytes / 1024 },
  { title: "handles", most: 0, of: ({ handles }) => handles },
  { title: "open files", most: 0, of: ({ files }) => files },
  { title: "store, bytes a turn", most: 0.1, of: (sample) => sample.storeBytes / (sample.turns + sample.beside) },
  // How far the log gets before it begins anew is up to who reads just then, but the store cuts it to 8 MiB.
  { title: "write-ahead log, KiB", ceiling: 8_192, of: ({ walBytes }) => walBytes / 1024 },
  { title: "indexes of recall", most: 0.1, of: ({ indexes }) => indexes },
]

// A quick run would be over before it is warm.
test.runIf(size !== "quick")("a process that lives long does not grow, while others beside it are killed", async () => {
  const folder = folderOfRun()
  const all = await live(folder)
  const pictures: string[] = []
  const grown: string[] = []
  for (const { title, most = Number.POSITIVE_INFINITY, ceiling = Number.POSITIVE_INFINITY, of } of curves) {
    const points = all.map((sample): Point => ({ life: sample.life, turns: sample.turns, value: of(sample) }))
    const [middle, more] = [median(points.map(({ value }) => value)), growth(points)]
    pictures.push(picture(`${title}: median ${middle.toFixed(1)}, growth over the second half ${more.toFixed(1)}`, points))
    if (more > most * middle) grown.push(`${title}: ${more} over the second half, beside a median of ${middle}`)
    if (middle > ceiling) grown.push(`${title}: a median of ${middle}, at most ${ceiling}`)
  }
  writeFileSync(join(folder, "curve.txt"), `${pictures.join("\n\n")}\n`)
  console.log(pictures.join("\n\n"))
  expect(grown).toEqual([])
  if (size === "soak") rmSync(folder, { recursive: true })
})
