import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { printMentions, readMentions } from "../src/apps/bots/mentions.ts"
import { resolveProfile } from "../src/profile/resolve.ts"
import { assemble } from "../src/prompt/assemble/assemble.ts"
import { composeMessages, splitSystemPrompt } from "../src/prompt/stack/compose-messages.ts"
import { PromptStack } from "../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../src/prompt/tools/define-tool.ts"
import { readDecision } from "../src/reply/decision-reader.ts"
import { findMentions } from "../src/reply/mentions.ts"
import { entryPoints } from "./support/entry-points.ts"
import { amount } from "./support/size.ts"
import { root } from "./support/source-files.ts"
import { tempFolder } from "./support/temp-folder.ts"
import { agentOf, endOf, isTold, untold, wrong } from "./support/wrong-values.ts"

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
    // A text may name a folder to make.
    const text = `${tempFolder()}/x`
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== "function" || isClass(value)) continue
      for (const [what, given] of wrong) {
        for (const call of [() => value(given), () => value(given, given), () => value(text, given), () => value({}, given)]) {
          const error = await errorOf(call)
          if (!isTold(error)) found.push(`${name} of ${what}: ${String(error)}`)
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
    expect(isTold(error), `${what}: ${String(error)}`).toBe(true)
  }
})

const tool = defineTool({ name: "t", description: "d", usageHint: "u", execute: () => "r" })
const person = { id: "b", name: "B" }
const picture = { name: "a.png", mediaType: "image/png", width: 5, height: 5 }
const linked = { name: "a.png", mediaType: "image/png", url: "https://example.com/b.png" }
const run = { id: "1", tool: "t", args: { a: "x" }, status: "ok", result: "r", durationMs: 1 }
const said = { text: "h", speaker: person, turnId: "1", atMs: 1, attachments: [picture] }
const directed = { mentions: [person], replyTo: { speaker: person } }
const fullTurn = {
  ...turn,
  ...{ group: true, atMs: 5, timeZone: "UTC", attachments: [picture], prestart: [run], tools: [tool], runs: [run] },
  question: { ...turn.question, ...directed },
  history: [
    { role: "user", ...said, ...directed, prestart: [run] },
    { role: "assistant", ...said, turnId: "2", runs: [{ ...run, step: 1, attachments: [picture] }] },
  ],
  memories: [{ text: "m", speaker: "A", atMs: 3, againAtMs: [1] }],
  steps: [
    { type: "fault", output: "x", notice: "n" },
    { type: "run", call: "c", run },
    { type: "native", text: "x", calls: [{ id: "1", name: "t", args: "{}" }], runs: [run] },
  ],
  fileFaults: [{ written: "a", fault: "missing" }],
}
const skill = {
  ...{ name: "s", description: "d", mode: "active", priority: 1, content: { text: "x", trust: "author" } },
  ...{ allowedTools: [], resources: [], scripts: [], metadata: {}, source: { file: "a", line: 1 } },
}
const injection = {
  key: "z",
  content: [{ x: "y" }],
  priority: 3,
  scope: "turn",
  trust: "author",
  fit: { rank: 1, shrink: "tail" },
}
const words = { from: person, attachments: [linked], mentions: [person], replyTo: { from: person } }

/** Reads all of an assembly, which makes parts of it only when they are asked for. */
function jsonOf(assembly: object): string {
  return JSON.stringify(assembly, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value))
}

/** Each with plain data that it takes, of which any part may be another value. */
const doors: Readonly<Record<string, readonly [data: object, call: (data: never) => unknown]>> = {
  ...Object.fromEntries(
    ["layered", "stack", "stack-cached", "tavern", "fay", "soul"].map((dialect) => [
      `assemble, the turn in ${dialect}`,
      [fullTurn, (data: never) => jsonOf(assemble(new PromptStack([item]), { dialect, turn: data }))],
    ]),
  ),
  "assemble, its tools": [
    { tools: [{ name: "t", description: "d", parameters: {} }], roles: { developer: true }, history: { lowWater: 0.5 } },
    (data) => jsonOf(assemble(new PromptStack([item]), data)),
  ],
  PromptStack: [[item, injection], (data) => new PromptStack(data).render("x")],
  composeMessages: [
    [{ role: "system", content: "x" }, { role: "user" }],
    (data) => composeMessages(new PromptStack([item]), data),
  ],
  splitSystemPrompt: [[{ role: "system", content: "x" }, { role: "user" }], (data) => splitSystemPrompt(data)],
  resolveProfile: [
    { agent: { name: "A" }, tools: { builtin: [tool], enabled: ["t"] }, prestart: [{ tool: "t", args: { a: "x" } }] },
    (data) => resolveProfile(data),
  ],
  defineTool: [
    { name: "t", description: "d", jsonSchema: { type: "object", properties: { a: { type: "string" } } }, group: "ai", execute },
    (data) => defineTool(data),
  ],
  createAgent: [
    {
      tools: [tool, { ...tool, name: "t2" }],
      plugins: [{ name: "p", tools: [{ ...tool, name: "t3" }], skills: [skill], variables: { a: "b" } }],
      ...{ hooks: [{ name: "h" }], observers: [{ name: "o" }], injections: [injection], shouldAnswer: { keywords: ["x"] } },
    },
    async (data) => agentOf(data).session("c").send("x").result,
  ],
  send: [
    { ...words, inject: [injection], tools: [tool], runs: [run] },
    async (data) => agentOf().session("c").send("x", data).result,
  ],
  hear: [{ ...words, atMs: 4 }, (data) => agentOf().session("c").hear("x", data)],
  receive: [{ ...words, atMs: 4 }, (data) => agentOf().session("c").receive("x", data)],
  preview: [{ ...words, inject: [injection] }, (data) => agentOf().session("c").preview("x", data)],
  wake: [{ to: person, inject: [injection] }, async (data) => agentOf().session("c").wake("x", data).result],
  "respond, its messages": [
    [
      { role: "user", content: "x", atMs: 4, name: "A" },
      { role: "assistant", content: "x" },
      { role: "user", content: "x", attachments: [linked], runs: [run] },
    ],
    async (data) => agentOf().respond(data).result,
  ],
  "respond, its options": [
    { from: person, inject: [injection], tools: [tool] },
    async (data) => agentOf().respond([{ role: "user", content: "x" }], data).result,
  ],
}

function execute(): string {
  return "r"
}

test.each(Object.entries(doors))(
  "%s tells a wrong value at any depth with an error of this library, or takes it",
  async (_, door) => {
    const [data, call] = door
    expect(await endOf(() => call(data as never))).toBeUndefined()
    expect(await untold(data, call as never, amount("WRONG_VALUES"))).toEqual([])
  },
)
