import type { Mutant } from "./mutants.ts"
import type { OutcomeRow } from "./plan.ts"

/** Why no test can find a mutant, by its id; `at` says for people which one it is. */
export type Equivalents = Readonly<Record<string, { readonly at: string; readonly why: string }>>

interface Score {
  readonly tried: number
  readonly found: number
  readonly equivalent: number
}

/** The rooms of which 95 of 100 mutants have to be found, with their folders. */
const guarded: Readonly<Record<string, string>> = {
  encode: "src/prompt/encode/",
  reply: "src/reply/",
  "node/workspace": "src/node/workspace/",
  stores: "src/adapters/stores/",
  services: "src/memory/services/",
  forgetting: "src/memory/forgetting/",
}

const foundOutcomes: readonly string[] = ["killed", "timeout", "crashed"]

export const isFound = (row: OutcomeRow | undefined): boolean => row !== undefined && foundOutcomes.includes(row.outcome)

/** The first of some mutants in the order of the sample, up to the first without an outcome: a beginning is as random as the whole. */
export function beginning(sample: readonly Mutant[], outcomes: ReadonlyMap<string, OutcomeRow>): readonly Mutant[] {
  const end = sample.findIndex(({ id }) => !outcomes.has(id))
  return end === -1 ? sample : sample.slice(0, end)
}

function scoreOf(mutants: readonly Mutant[], outcomes: ReadonlyMap<string, OutcomeRow>, equivalents: Equivalents): Score {
  const found = mutants.filter(({ id }) => isFound(outcomes.get(id)))
  const equivalent = mutants.filter((mutant) => !found.includes(mutant) && equivalents[mutant.id])
  return { tried: mutants.length, found: found.length, equivalent: equivalent.length }
}

function percent({ tried, found, equivalent }: Score): string {
  const counted = tried - equivalent
  return counted === 0 ? "–" : `${((100 * found) / counted).toFixed(1)} %`
}

/** A table of scores: all, the guarded rooms, and the other rooms. Equivalent mutants do not count. */
export function scoreTable(
  mutants: readonly Mutant[],
  outcomes: ReadonlyMap<string, OutcomeRow>,
  equivalents: Equivalents,
): readonly string[] {
  const row = (name: string, part: readonly Mutant[]): string => {
    const score = scoreOf(beginning(part, outcomes), outcomes, equivalents)
    return `| ${name} | ${score.tried} | ${score.found} | ${score.equivalent} | ${percent(score)} |`
  }
  const within = (folder: string) => mutants.filter(({ file }) => file.startsWith(folder))
  const places = Object.values(guarded)
  const others = mutants.filter(({ file }) => !places.some((place) => file.startsWith(place)))
  const rooms = [...new Set(others.map(({ file }) => file.split("/").slice(0, 2).join("/")))].sort()
  return [
    "| room | tried | found | equivalent | score |",
    "|---|---:|---:|---:|---:|",
    row("**all**", mutants),
    ...Object.entries(guarded).map(([name, folder]) => row(`**${name}**`, within(folder))),
    ...rooms.map((room) =>
      row(
        room.replace("src/", ""),
        others.filter(({ file }) => `${file}/`.startsWith(`${room}/`)),
      ),
    ),
  ].filter((line) => !line.includes("| 0 | 0 | 0 |"))
}

/** A line for each mutant that no test found, in the order of the sources, with the reason if it is equivalent. */
export function survivorLines(
  mutants: readonly Mutant[],
  outcomes: ReadonlyMap<string, OutcomeRow>,
  equivalents: Equivalents,
): readonly string[] {
  return mutants
    .filter(({ id }) => outcomes.has(id) && !isFound(outcomes.get(id)))
    .map((mutant) => ({ mutant, row: outcomes.get(mutant.id), why: equivalents[mutant.id]?.why }))
    .sort((a, b) => (a.mutant.file < b.mutant.file ? -1 : a.mutant.file > b.mutant.file ? 1 : a.mutant.line - b.mutant.line))
    .map(({ mutant: { id, file, line }, row, why }) => {
      const note = why === undefined ? `${row?.outcome}, ${row?.by}` : `equivalent: ${why}`
      return `${file}:${line} \`${(row?.change ?? "").slice(0, 90).replaceAll("`", "'")}\` (${id}; ${note})`
    })
}
