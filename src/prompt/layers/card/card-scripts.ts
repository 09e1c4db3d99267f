import { listOf, recordOf } from "../../../core/json-access.ts"
import { sanitise } from "../../encode/sanitise.ts"
import { type BoundedReplace, compileReplace } from "../lorebook/bounded-replace.ts"
import type { PatternWork } from "../lorebook/host-search.ts"
import type { Refusal } from "../lorebook/pattern-syntax.ts"
import type { Card } from "./card.ts"

/** The words on which a script of a card can act. */
export type ScriptPlace = "user" | "assistant" | "lore"

/** A regex script of a card, as SillyTavern runs them: it replaces what its pattern finds on the way to people or to the model. */
export interface CardScript {
  readonly name: string
  readonly find: string
  readonly replacement: string
  readonly trims: readonly string[]
  readonly places: ReadonlySet<ScriptPlace>
  /** True if it acts on what people see, and on what the model reads. */
  readonly isShown: boolean
  readonly isSent: boolean
  readonly minDepth: number
  readonly maxDepth: number
  /** How macros in the pattern are filled in. */
  readonly macros: "none" | "raw" | "escaped"
}

const placeOf: Readonly<Record<number, ScriptPlace>> = { 1: "user", 2: "assistant", 5: "lore" }

/** The scripts of a card that are switched on. Those that act elsewhere, such as on thoughts, have no places. */
export function cardScripts({ json }: Pick<Card, "json">): readonly CardScript[] {
  const given = listOf(recordOf(recordOf(json.data).extensions).regex_scripts).map(recordOf)
  return given.filter(({ disabled }) => disabled !== true).map(scriptOf)
}

function scriptOf(script: Readonly<Record<string, unknown>>): CardScript {
  const text = (name: string): string => (typeof script[name] === "string" ? script[name] : "")
  const { markdownOnly, promptOnly, placement, substituteRegex, minDepth, maxDepth } = script
  return {
    name: text("scriptName"),
    find: text("findRegex"),
    // Hidden characters are taken out, as of all texts of a card.
    replacement: sanitise(text("replaceString")).text,
    trims: listOf(script.trimStrings).filter((trim) => typeof trim === "string" && trim !== "") as readonly string[],
    places: new Set(listOf(placement).flatMap((place) => placeOf[Number(place)] ?? [])),
    isShown: markdownOnly === true || promptOnly !== true,
    isSent: promptOnly === true || markdownOnly !== true,
    minDepth: typeof minDepth === "number" ? minDepth : 0,
    maxDepth: typeof maxDepth === "number" && maxDepth >= 0 ? maxDepth : Number.POSITIVE_INFINITY,
    macros: substituteRegex === 1 ? "raw" : substituteRegex === 2 ? "escaped" : "none",
  }
}

/** True if what a script would show is a page of HTML, which is no text to read. */
export function showsHtml({ isShown, replacement }: CardScript): boolean {
  return isShown && /<\/?[a-z][^>]*>/i.test(replacement)
}

/** Work for all scripts in a prompt or in an answer, in characters that the host's `RegExp` reads: mostly less than a quarter of a second. */
export function scriptWork(): PatternWork {
  return { left: 20_000_000, leftOut: new Set() }
}

/** The pattern of a script: `/…/flags`, or the whole text. */
export function patternOf({ find }: CardScript, filled = find): BoundedReplace | Refusal {
  const [, source = filled, flags = ""] = /^\/(.+)\/([a-z]*)$/is.exec(filled) ?? []
  return source === "" ? { refused: "it has no pattern" } : compileReplace(source, flags)
}

/** The way of a text, and its depth: 0 is the newest. */
export interface ScriptOccasion {
  readonly place: ScriptPlace
  readonly to: "people" | "model"
  readonly depth?: number | undefined
  readonly work: PatternWork
  /** Fills in macros of the card's own texts. */
  fill(text: string): string
  /** Hears of a script that was left out. */
  warn(message: string): void
}

/** Runs scripts on a text, one after the other. A script that could take too much work leaves it unchanged, and that is told once. */
export type RunScripts = (text: string, occasion: ScriptOccasion) => string

/** Prepares the scripts of a card. */
export function createScripts(scripts: readonly CardScript[]): RunScripts {
  const patterns = new Map(scripts.map((script) => [script, patternOf(script)]))
  return (text, { place, to, depth, work, fill, warn }) => {
    let changed = text
    for (const [at, [script, known]] of [...patterns].entries()) {
      if (!acts(script, { place, to, depth })) continue
      const pattern = script.macros === "none" ? known : patternOf(script, filledPattern(script, fill))
      const replacement = fill(script.replacement.replace(/\{\{match\}\}/gi, "$0"))
      const trims = script.trims.map(fill)
      const made =
        "refused" in pattern
          ? pattern
          : pattern.replace(changed, work, (match, groups) =>
              replacement.replace(/\$(?:(\d+)|<([^>]+)>)/g, (_, number, name) => {
                const group = (number === undefined ? groups[name] : match[Number(number)]) ?? ""
                return trims.reduce((left, trim) => left.replaceAll(trim, ""), group)
              }),
            )
      if (typeof made === "string") changed = made
      else if (!work.leftOut.has(at)) {
        work.leftOut.add(at)
        warn(`The script ${JSON.stringify(script.name.slice(0, 80))} of the card did not run: ${made.refused}.`)
      }
    }
    return changed
  }
}

/** True if a script acts on texts of that way, place and depth. */
export function acts(script: CardScript, { place, to, depth }: Pick<ScriptOccasion, "place" | "to" | "depth">): boolean {
  if (!script.places.has(place) || !(to === "people" ? script.isShown && !showsHtml(script) : script.isSent)) return false
  return depth === undefined || (depth >= script.minDepth && depth <= script.maxDepth)
}

/** Macros in a pattern are filled in one by one, so that what they give can be taken as plain words. */
function filledPattern({ find, macros }: CardScript, fill: (text: string) => string): string {
  if (macros === "raw") return fill(find)
  return find.replace(/\{\{[^{}]*\}\}/g, (macro) => fill(macro).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"))
}
