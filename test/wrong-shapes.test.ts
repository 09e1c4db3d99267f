import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { printMentions, readMentions } from "../src/apps/bots/mentions.ts"
import { PromptStrataError } from "../src/core/errors.ts"
import { assemble } from "../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../src/prompt/stack/prompt-stack.ts"
import { readDecision } from "../src/reply/decision-reader.ts"
import { findMentions } from "../src/reply/mentions.ts"
import { entryPoints } from "./support/entry-points.ts"
import { root } from "./support/source-files.ts"

/** Values that a program in plain JavaScript may pass for any other. No text: one names a folder to make. */
const wrong: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["a number", 7],
  ["true", true],
  ["a list", []],
  ["an empty object", {}],
  ["a function", () => 7],
]

const isClass = (value: object) => /^class\s/.test(Function.prototype.toString.call(value))

/** The error of a call, or of its promise. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const made = call()
    if (made instanceof Promise) await made
    return undefined
  } catch (error) {
    return error
  }
}

test.each(entryPoints())(
  "no function of $specifier answers a wrong shape with an error that is not of this library",
  async ({ source }) => {
    const exported = (await import(pathToFileURL(root + source).href)) as Record<string, unknown>
    const found: string[] = []
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== "function" || isClass(value)) continue
      for (const [what, given] of wrong) {
        for (const call of [() => value(given), () => value(given, given)]) {
          const error = await errorOf(call)
          if (error !== undefined && !PromptStrataError.isInstance(error)) found.push(`${name} of ${what}: ${String(error)}`)
        }
      }
    }
    expect(found).toEqual([])
  },
)

const item = { key: "a", content: "b" }
const turn = {
  question: { speaker: { id: "a", name: "A" }, text: "x" },
  group: false,
  agentName: "x",
  history: [],
  memories: [],
  prestart: [],
  tools: [],
  runs: [],
  steps: [],
}
const members = Object.keys(turn) as (keyof typeof turn)[]

/** Calls with one value that the test chooses. */
const calls: Readonly<Record<string, (given: never) => unknown>> = {
  "new PromptStack": (given) => new PromptStack(given),
  "add, its content": (given) => new PromptStack().add("k", given),
  "add, its options": (given) => new PromptStack().add("k", "c", given),
  ...Object.fromEntries(
    (
      [
        "add",
        "remove",
        "get",
        "items",
        "clearScope",
        "render",
        "renderDebug",
        "fork",
        "adopt",
        "merge",
        "endTurn",
        "rebase",
      ] as const
    ).map((name) => [name, (given: never) => new PromptStack([item])[name](given)]),
  ),
  ...Object.fromEntries(
    (
      ["dialect", "locale", "prompt", "turn", "roles", "counter", "budgetTokens", "cut", "history", "tools", "assembler"] as const
    ).map((name) => [`assemble, ${name}`, (given: never) => assemble(new PromptStack([item]), { [name]: given })]),
  ),
  ...Object.fromEntries(
    members.map((name) => [
      `assemble, ${name} of the turn`,
      (given: never) => assemble(new PromptStack(), { turn: { ...turn, [name]: given } as never }),
    ]),
  ),
  "findMentions, its names": (given) => findMentions("@last_x", given),
  "readDecision, its options": (given) => readDecision("{}", given),
  "readMentions, its members": (given) => readMentions("<@1>", given, /<@(\d+)>/g),
  "printMentions, its members": (given) => printMentions("@x", given, () => ""),
}

test.each(Object.entries(calls))("%s tells a wrong shape with an error of this library, or takes it", async (_, call) => {
  for (const [what, given] of [...wrong, ["a text", "x"] as const]) {
    const error = await errorOf(() => call(given as never))
    const told =
      error === undefined ||
      (PromptStrataError.isInstance(error) && !/is not a function|Cannot |is not iterable/.test(error.message))
    expect(told, `${what}: ${String(error)}`).toBe(true)
  }
})
