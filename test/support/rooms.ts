import { readdirSync } from "node:fs"
import { root } from "./source-files.ts"

/** The folders directly in `src/`, sorted. */
export function wingsOfSource(): string[] {
  return readdirSync(`${root}src`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** The rooms of the page's table, each with its wing, in its order: "| prompt | `stack` |" is `prompt/stack`. */
export function roomsInTable(page: string): string[] {
  return [...page.matchAll(/^\| ([a-z]+) \| `([a-z-]+)` \|/gm)].map(([, wing = "", room = ""]) => `${wing}/${room}`)
}

/**
 * The rooms that a text speaks of: every `src/NAME/`, and all names in a code span that lists several names of which more than
 * half are rooms.
 */
export function roomsNamedIn(text: string, rooms: readonly string[]): string[] {
  const known = new Set(rooms)
  const paths = [...text.matchAll(/\bsrc\/([a-z-]+)\//g)].map(([, name = ""]) => name)
  const lists = [...text.matchAll(/`([a-z-]+(?:[\s,←·]+[a-z-]+)+)`/g)]
    .map(([, list = ""]) => list.split(/[\s,←·]+/))
    .filter((names) => names.filter((name) => known.has(name)).length * 2 > names.length)
  return [...new Set([...paths, ...lists.flat()])]
}

/** Groups of rooms that a diagram of the layer order may name without being rooms themselves. */
const groups: ReadonlySet<string> = new Set(["edges", "index"])

/** Rooms that a text speaks of and that do not exist. */
export function missingRooms(text: string, rooms: readonly string[]): string[] {
  return roomsNamedIn(text, rooms).filter((name) => !rooms.includes(name) && !groups.has(name))
}

/** A function that a page says stands in a file. */
export interface NamedFunction {
  readonly name: string
  readonly file: string
}

/** The functions that a page places in files: "`fit` and `byRank` in `src/prompt/assemble/fit/fit.ts`". */
export function functionsNamedIn(page: string): NamedFunction[] {
  return [...page.matchAll(/((?:`\w+`(?: and |, )?)+) in `(src\/[\w/.-]+\.ts)`/g)].flatMap(([, names = "", file = ""]) =>
    [...names.matchAll(/\w{2,}/g)]
      .map(([name]) => name)
      .filter((name) => name !== "and")
      .map((name) => ({ name, file })),
  )
}

/** Named functions that their file does not declare. */
export function misplacedFunctions(named: readonly NamedFunction[], sources: ReadonlyMap<string, string>): string[] {
  return named
    .filter(({ name, file }) => !new RegExp(`\\bfunction\\*? ${name}\\b`).test(sources.get(file) ?? ""))
    .map(({ name, file }) => `${name} does not stand in ${file}`)
}
