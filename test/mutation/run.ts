import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { Mutant } from "./mutants.ts"
import { type CoverageRow, type OutcomeRow, type Plan, readRows, recordFolder } from "./plan.ts"
import { beginning, type Equivalents, isFound, scoreTable, survivorLines } from "./report.ts"
import { drawMutants, testFiles } from "./sample.ts"
import { hashOf } from "./work.ts"
import { runWorkers } from "./workers.ts"

const usage = `Changes the sources a little, one change at a time, and prints the changes that no test finds.
It continues where it was stopped (node_modules/.cache/promptstrata-mutation). Ctrl-C stops it.

  npm run mutate -- src/adapters/stores/sql                every mutant of a folder or a file
  npm run mutate -- src --sample 1500 --seed 23   so many of them, chosen by a seed
  --only src/prompt/encode     tries only mutants of the sample in this folder; may stand more than once
  --mutant 3f0c…        only this one; may stand more than once
  --again        tries those again that no test found, with the tests as they are now
  --whole        runs whole test files, not only the tests that pass the switch: one may prepare what another one finds
  --tests test/prompt/encode   only tests of a folder; else all; may stand more than once
  --workers 2    so many processes
  --report       tries nothing; prints what is known
  --write        writes the scores and what was not found into test/mutation/RESULTS.md
  --effort 20    no more test files for a mutant after so many seconds of CPU time, and none that takes twice as long`

const root = resolve(import.meta.dirname, "../..")
const folder = join(root, "node_modules/.cache/promptstrata-mutation")
const coverageFile = join(folder, "coverage.jsonl")
const outcomesFile = join(folder, "outcomes.jsonl")

const { values, positionals } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "23" },
    only: { type: "string", multiple: true, default: [""] },
    mutant: { type: "string", multiple: true, default: [] },
    again: { type: "boolean", default: false },
    whole: { type: "boolean", default: false },
    workers: { type: "string", default: "2" },
    tests: { type: "string", multiple: true, default: ["test"] },
    effort: { type: "string", default: "20" },
    report: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean" },
  },
  allowPositionals: true,
})
const workers = Number(values.workers)

/** The last outcome of each mutant whose file is still as it was. */
function outcomesOf(hashes: Plan["hashes"]): ReadonlyMap<string, OutcomeRow> {
  const rows = readRows<OutcomeRow>(outcomesFile).filter(({ file, hash }) => hashes[file] === hash)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Forgets the coverage and the records of test files that changed, and all of them if the switches changed. Returns the test files without coverage. */
function uncovered(plan: Plan): readonly string[] {
  const files = testFiles(root).filter((file) => values.tests.some((place) => file.startsWith(place)))
  const hashes = new Map(files.map((file) => [file, hashOf(join(root, file))]))
  const isSame = existsSync(join(folder, plan.switches))
  if (!isSame) {
    for (const name of readdirSync(folder)) if (name.startsWith("switches-")) rmSync(join(folder, name), { recursive: true })
    mkdirSync(join(folder, plan.switches))
  }
  const kept = isSame ? readRows<CoverageRow>(coverageFile).filter(({ file, hash }) => hashes.get(file) === hash) : []
  writeFileSync(`${coverageFile}.new`, kept.map((row) => `${JSON.stringify(row)}\n`).join(""))
  renameSync(`${coverageFile}.new`, coverageFile)
  const known = new Set(kept.map(({ file }) => file))
  const missing = files.filter((file) => !known.has(file))
  for (const file of missing) rmSync(join(recordFolder(folder), `${basename(file)}.snap`), { force: true })
  return missing
}

async function mutate(places: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const wanted = { count: Number(values.sample ?? Number.MAX_SAFE_INTEGER), seed: values.seed, ids: values.mutant }
  const mutants = drawMutants(root, folder, places, wanted)
  const hashes = Object.fromEntries([...new Set(mutants.map(({ file }) => file))].map((file) => [file, hashOf(join(root, file))]))
  const build = createHash("sha256").update(JSON.stringify([mutants, hashes]))
  const switches = `switches-${build.digest("hex").slice(0, 12)}`
  const base: Plan = {
    root,
    folder,
    switches,
    stateFile: "",
    mutants,
    hashes,
    files: [],
    pending: [],
    effortSeconds: Number(values.effort),
    whole: values.whole,
  }
  if (values.report) return report(mutants, outcomesOf(hashes))
  const files = uncovered(base)
  if (files.length > 0) {
    console.log(`${files.length} test files run without a mutant`)
    await runWorkers({ ...base, files }, workers, () => new Set(readRows<CoverageRow>(coverageFile).map(({ file }) => file)))
    const rows = readRows<CoverageRow>(coverageFile)
    if (!rows.some(({ load, tests }) => load.length > 0 || tests.some(({ hits }) => hits.length > 0)))
      throw new Error("expected a test to reach a mutant; found none: do the tests import the sources?")
    for (const { file, failed } of rows)
      for (const name of failed) console.log(`fails without a mutant and is not asked: ${file} > ${name}`)
  }
  const earlier = outcomesOf(hashes)
  const equivalents = knownEquivalents()
  const isOpen = ({ id, file }: Mutant): boolean =>
    values.only.some((place) => file.startsWith(place)) &&
    (!earlier.has(id) || (values.again && !isFound(earlier.get(id)) && !equivalents[id]))
  const pending = mutants.filter(isOpen).map(({ id }) => id)
  const rowsBefore = readRows(outcomesFile).length
  console.log(`${pending.length} mutants to try`)
  await runWorkers({ ...base, pending }, workers, () => {
    const rows = readRows<OutcomeRow>(outcomesFile).slice(rowsBefore)
    return new Set(rows.map(({ id }) => id))
  })
  report(mutants, outcomesOf(hashes))
}

function knownEquivalents(): Equivalents {
  return JSON.parse(readFileSync(join(import.meta.dirname, "equivalent.json"), "utf8")) as Equivalents
}

/** Prints the scores and what no test found; with --write also into RESULTS.md. */
function report(sample: readonly Mutant[], outcomes: ReadonlyMap<string, OutcomeRow>): void {
  const equivalents = knownEquivalents()
  const lines = survivorLines(sample, outcomes, equivalents)
  const table = scoreTable(sample, outcomes, equivalents)
  console.log([...lines, ...table].join("\n"))
  if (!values.write) return
  const tried = beginning(sample, outcomes).length
  const head = `The first ${tried} of a sample of ${sample.length}, seed ${values.seed}: \`${positionals.join(" ")}\`.`
  const file = join(import.meta.dirname, "RESULTS.md")
  const text = readFileSync(file, "utf8")
  const before = text.slice(0, text.indexOf("## Scores"))
  const list = lines.map((line) => `- ${line}`).join("\n")
  writeFileSync(file, `${before}## Scores\n${head}\n\n${table.join("\n")}\n\n## Not found\n${list}\n`)
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
if (positionals.length === 0 || values.help) console.log(usage)
else await mutate(positionals)
