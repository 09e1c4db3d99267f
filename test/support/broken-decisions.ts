import { type Breakage, type Draft, pick, type Survival } from "./breakage.ts"
import { type Json, type Layout, type Meant, tokensOf, writeTokens } from "./planner-tokens.ts"
import { stringBreakages } from "./string-breakages.ts"
import { structureBreakages } from "./structure-breakages.ts"
import { surroundingBreakages } from "./surrounding-breakages.ts"

/** Every breakage, in the order in which two are applied to one output. */
export const breakages: readonly Breakage[] = [...stringBreakages, ...structureBreakages, ...surroundingBreakages]

/** Pairs of which nothing can be told, although it could of each: one hides what would tell the other. */
const lostTogether: readonly (readonly [string, string])[] = [
  ["a missing opening brace", "a wrapper object"],
  ["a missing last brace", "a wrapper object"],
  ["a brace too many at the end", "a wrapper object"],
  ["written as a string", "a wrapper object"],
  ["a missing opening brace", "doubled outer braces"],
  ["a missing opening brace", "doubled braces everywhere"],
  ["doubled outer braces", "written as a string"],
  ["doubled braces everywhere", "written as a string"],
  ["single quotes, bare apostrophes", "a missing comma in a list"],
  ["inner quotes", "a missing comma in a list"],
  ["inner quotes around a phrase", "a missing comma in a list"],
  ["unquoted words", "a missing comma between members"],
]

/** Pairs that make another text that is right: inner quotes become those around, one brace stands for another. */
const neverTogether: readonly (readonly [string, string])[] = [
  ["inner quotes", "a missing opening quote"],
  ["inner quotes around a phrase", "a missing opening quote"],
  ["a brace too many at the end", "an end in mid-output"],
  ["a brace too many inside", "an end in mid-output"],
  ["a brace too many inside", "two missing last braces"],
]

function includesPair(names: readonly string[], pairs: readonly (readonly [string, string])[]): boolean {
  return pairs.some((pair) => pair.every((name) => names.includes(name)))
}

/** A planner output that is broken in one way or two. */
export interface BrokenDecision {
  readonly text: string
  readonly meant: Meant
  readonly names: readonly string[]
  /** Whether what was meant can still be told. */
  readonly survival: "meant" | "lost"
}

/** `meant`, broken in every way of `ways` at once; `undefined` where one of them finds nothing to break. */
function breakDecision(clean: Meant, ways: readonly Breakage[], random: () => number): BrokenDecision | undefined {
  const names = ways.map(({ name }) => name)
  if (includesPair(names, neverTogether)) return undefined
  let meant: Meant | undefined = clean
  for (const { season } of ways) meant = meant && season ? season(meant, random) : meant
  if (meant === undefined) return undefined
  const draft: Draft = {
    meant,
    tokens: tokensOf(membersOf(meant, random), layoutFor(random)),
    aroundObject: [],
    around: [],
    random,
  }
  const survivals: Survival[] = ways.map(({ apply }) => apply(draft))
  const object = writeTokens(draft.tokens)
  // What lost its meaning and is JSON all the same means something else.
  if (survivals.includes("nothing") || (survivals.includes("lost") && isJson(object))) return undefined
  const wrapped = (object: string) => draft.aroundObject.reduce((inner, wrap) => wrap(inner), object)
  const second = draft.second ? draft.second.separator + wrapped(draft.second.text) : ""
  const text = draft.around.reduce((inner, wrap) => wrap(inner), wrapped(object) + second)
  const isLost = survivals.includes("lost") || includesPair(names, lostTogether)
  return { text, meant, names, survival: isLost ? "lost" : "meant" }
}

function membersOf(meant: Meant, random: () => number): Json {
  const isUsualOrder = random() < 0.8
  if (meant.action === "tool") {
    const { action, tool, args } = meant
    return isUsualOrder ? { action, tool, args } : { tool, args, action }
  }
  return isUsualOrder ? { action: "finish", message: meant.message } : { message: meant.message, action: "finish" }
}

function layoutFor(random: () => number): Layout {
  const share = random()
  return share < 0.4 ? "compact" : share < 0.7 ? "spaced" : "pretty"
}

/** Every breakage `alone` times and every pair of them `perPair` times, each over one of `turns`, without those that cannot be. */
export function* brokenDecisions(
  turns: readonly Meant[],
  count: { readonly alone: number; readonly perPair: number },
  random: () => number,
): Generator<BrokenDecision> {
  for (const [index, first] of breakages.entries()) {
    for (const ways of [[first], ...breakages.slice(index + 1).map((second) => [first, second])]) {
      const times = ways.length === 1 ? count.alone : count.perPair
      for (let time = 0; time < times; time++) {
        const broken = breakDecision(pick(random, turns), ways, random)
        if (broken) yield broken
      }
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
