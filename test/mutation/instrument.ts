import type { Mutant, Site } from "./mutants.ts"

interface Place {
  readonly kind: Site["kind"]
  readonly start: number
  readonly end: number
  readonly mutants: Mutant[]
}

/**
 * The source with switches for the chosen ones of its mutants: `__mutant(id)` answers true for the one that is on. So one loaded
 * module serves all its mutants. `all` are the file's mutants.
 */
export function instrument(code: string, all: readonly Mutant[], chosen: ReadonlySet<string>): string {
  const places = new Map<string, Place>()
  for (const mutant of all) {
    const { kind, start, end } = mutant.site
    const place = places.get(`${kind} ${start} ${end}`) ?? { kind, start, end, mutants: [] }
    places.set(`${kind} ${start} ${end}`, place)
    if (chosen.has(mutant.id)) place.mutants.push(mutant)
  }
  const used = [...places.values()].filter(({ mutants }) => mutants.length > 0)
  // A statement that begins with a switch gets braces, or its bracket would call the line above.
  const begun = new Set(used.filter(({ kind }) => kind === "expression").map(({ start }) => start))
  const braced = [...places.values()].filter((place) => place.kind === "statement" && begun.has(place.start))
  const ordered = [...new Set([...used, ...braced])].sort(
    (a, b) => a.start - b.start || b.end - a.end || Number(a.kind === "expression") - Number(b.kind === "expression"),
  )
  return print(code, ordered, 0, code.length)
}

/** Prints the code of a range; takes the places of the range off the front of `places`. */
function print(code: string, places: Place[], from: number, to: number): string {
  let text = ""
  let at = from
  for (let place = places[0]; place !== undefined && place.start < to && place.end <= to; place = places[0]) {
    places.shift()
    text += code.slice(at, place.start) + switched(place, print(code, places, place.start, place.end))
    at = place.end
  }
  return text + code.slice(at, to)
}

function switched({ kind, mutants }: Place, inner: string): string {
  const tests = mutants.map(({ id, site }) => ({ test: `__mutant("${id}")`, text: site.text }))
  if (kind === "statement") return `${tests.map(({ test }) => `if (${test}) {} else `).join("")}{${inner}\n}`
  return `(${tests.map(({ test, text }) => `${test} ? (${text}\n) : `).join("")}(${inner}\n))`
}
