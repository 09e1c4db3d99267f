import { pathToFileURL } from "node:url"
import { describe, expect, test } from "vitest"
import * as mcp from "../src/adapters/mcp/index.ts"
import * as aiSdk from "../src/adapters/models/ai-sdk/index.ts"
import * as openai from "../src/adapters/models/openai/index.ts"
import * as stores from "../src/adapters/stores/index.ts"
import * as tiktoken from "../src/adapters/tokenizers/tiktoken/index.ts"
import * as discord from "../src/apps/bots/discord/index.ts"
import * as bots from "../src/apps/bots/index.ts"
import * as telegram from "../src/apps/bots/telegram/index.ts"
import * as server from "../src/apps/server/index.ts"
import * as inspect from "../src/apps/server/inspector/index.ts"
import { PromptStrataError } from "../src/core/errors.ts"
import * as main from "../src/index.ts"
import { createAgent } from "../src/loop/agent/agent.ts"
import * as forgetting from "../src/memory/forgetting/index.ts"
import * as cards from "../src/node/cards/index.ts"
import * as node from "../src/node/index.ts"
import * as reply from "../src/reply/index.ts"
import * as testing from "../src/testing/index.ts"
import { entryPoints } from "./support/entry-points.ts"
import { root } from "./support/source-files.ts"

/** Options as a program in JavaScript gives them. */
const any = (options: unknown) => options as never

/** The same, to spread. */
const more = (options: object) => options

const records = { clock: any({}), records: any({}) }
const model = () => testing.scriptedModel([])
const agent = () => ({ profile: main.resolveProfile(), model: model() })
const grammy = { Bot: class {}, InputFile: class {} }
const assembly = () => main.assemble(new main.PromptStack(), { prompt: "chat" })
const execute = () => "done"
const stack = new main.PromptStack()

type Row = readonly [call: () => unknown, message: string]

/** For each public function that takes options: calls with a name that it does not know. */
const misspelt: Readonly<Record<string, readonly Row[]>> = {
  PromptStack: [
    [() => stack.add("a", "b", any({ trsut: "tool" })), '"trust"'],
    [() => stack.render("", any({ headings: "none" })), '"heading"'],
  ],
  agentTool: [
    [() => main.agentTool({ ...named, agent: createAgent(agent()), ...more({ timeoutMS: 1 }) }), '"timeoutMs"'],
    [() => main.agentTool({ ...named, ...agent(), ...more({ hint: 1 }) }), '"hints"'],
    [() => main.agentTool({ ...named, ...agent(), ...more({ store: {} }) }), '"store"'],
  ],
  assemble: [[() => main.assemble(stack, any({ budget: 1 })), '"budgetTokens"']],
  buildContextPrompt: [
    [() => main.buildContextPrompt(any({ memory: "x" }), "hi"), '"memoryContext"'],
    [() => main.buildContextPrompt({}, "hi", any({ local: "en" })), '"locale"'],
  ],
  buildSystemPrompt: [[() => main.buildSystemPrompt({ persona: "x", ...more({ skill: [] }) }), '"skills"']],
  composeMessages: [[() => main.composeMessages(stack, [], any({ developer: true })), '"developerRole"']],
  createAgent: [
    [() => createAgent(any({ ...agent(), tool: [] })), '"tools"'],
    [() => createAgent({ ...agent(), ports: any({ clok: {} }) }), '"clock"'],
    [() => createAgent({ ...agent(), services: any({ embedding: {} }) }), '"embed"'],
    [() => createAgent({ ...agent(), models: { tols: model() } }), '"tols"'],
    [() => createAgent({ ...agent(), hooks: [any({ name: "h", beforTurn() {} })] }), '"beforeTurn"'],
    [() => createAgent({ ...agent(), plugins: [any({ name: "p", tool: [] })] }), '"tools"'],
    [() => createAgent({ ...agent(), plugins: [{ name: "p", hooks: [any({ name: "h", beforTurn() {} })] }] }), '"beforeTurn"'],
    [() => createAgent({ ...agent(), observers: [any({ name: "o", onevent() {} })] }), '"onevent"'],
    [() => createAgent({ ...agent(), observers: [any({ name: "o", observe() {}, event: [] })] }), '"events"'],
    [() => createAgent(agent()).session(any({ conversation: "c", audiance: "group" })), '"audience"'],
    [
      () =>
        createAgent(agent())
          .session("c")
          .send("hi", any({ form: { id: "a" } })),
      '"from"',
    ],
    [
      () =>
        createAgent(agent())
          .session("c")
          .approve("a", any({ sginal: 1 })),
      '"signal"',
    ],
    [
      () =>
        createAgent(agent())
          .session("c")
          .deny("a", "no", any({ outputs: 1 })),
      '"output"',
    ],
    [
      () =>
        createAgent(agent())
          .session("c")
          .wake("hi", any({ form: { id: "a" } })),
      '"form"',
    ],
    [
      () =>
        createAgent(agent())
          .session("c")
          .preview("hi", any({ promt: "final" })),
      '"prompt"',
    ],
    [() => createAgent(agent()).close(any({ sinal: {} })), '"signal"'],
  ],
  createBubbleReader: [[() => reply.createBubbleReader(any({ mark: false })), '"marks"']],
  createDecisionReader: [[() => reply.createDecisionReader(any({ strct: true })), '"strict"']],
  createInMemoryStore: [
    [() => main.createInMemoryStore(any({ clok: {} })), '"clok"'],
    [() => main.createInMemoryStore({ jobs: any({ maxAttempt: 1 }) }), '"maxAttempts"'],
    [() => main.createInMemoryStore({ ports: any({ timer: {} }) }), '"timers"'],
  ],
  createMemoryService: [
    [() => main.createMemoryService({ ...records, ...more({ embedding: {} }) }), '"embed"'],
    [() => main.createMemoryService({ ...records, weights: any({ word: 1 }) }), '"words"'],
  ],
  createOutputReader: [[() => reply.createOutputReader(any({ bubble: true })), '"bubbles"']],
  createReflectionService: [[() => main.createReflectionService({ ...records, ask: any({}), ...more({ evry: 1 }) }), '"every"']],
  createUserProfileService: [[() => main.createUserProfileService(any({ records: {}, record: {} })), '"records"']],
  createWakeSchedule: [
    [() => main.createWakeSchedule({ ...schedule, ...more({ quiet: {} }) }), '"quietHours"'],
    [() => main.createWakeSchedule({ ...schedule, quietHours: any({ form: "22:00", to: "07:00" }) }), '"from"'],
  ],
  defineTool: [[() => main.defineTool({ name: "t", description: "", execute, ...more({ timeoutMS: 1 }) }), '"timeoutMs"']],
  fuseRankings: [[() => main.fuseRankings([], [], { covered: 0, ...more({ wieght: 1 }) }), '"weight"']],
  parseTemplate: [[() => main.parseTemplate("x", any({ flie: "a" })), '"file"']],
  readDecision: [[() => reply.readDecision("x", any({ strct: true })), '"strict"']],
  resolveProfile: [
    [() => main.resolveProfile(any({ pesona: "x" })), '"persona"'],
    [() => (main.resolveProfile as (...given: unknown[]) => unknown)({}, { budget: {} }), "one argument"],
  ],
  truncateText: [[() => main.truncateText("x", any({ maxToken: 1 })), '"maxTokens"']],

  compress: [[() => forgetting.compress(reference, any({ levl: "weak" })), '"level"']],
  createVirtualContext: [
    [() => forgetting.createVirtualContext(any({ event: {} })), '"events"'],
    [() => forgetting.createVirtualContext({ events: any({ timezone: "UTC" }) }), '"timeZone"'],
    [() => forgetting.createVirtualContext({ events: { keep: any({ days: 1 }) } }), '"day"'],
    [() => forgetting.createVirtualContext({ events: { weights: any({ relevence: 1 }) } }), '"relevance"'],
    [() => forgetting.createVirtualContext({ workspace: any({ maxItem: 1 }) }), '"maxItems"'],
    [() => forgetting.createVirtualContext({ workspace: { decay: any({ gian: 1 }) } }), '"gain"'],
    [() => forgetting.createVirtualContext({ pulled: any({ tool: [] }) }), '"tools"'],
    [() => forgetting.createVirtualContext({ compression: any({ writter: "rule" }) }), '"writer"'],
  ],
  createWorkspace: [
    [() => forgetting.createWorkspace(any({ evictbelow: 0.1 })), '"evictBelow"'],
    [() => forgetting.createWorkspace({ settings: any({ gian: 1 }) }), '"gain"'],
  ],
  retrievability: [
    [() => (forgetting.retrievability as (...given: unknown[]) => number)(7, 3), "{ stability, days }"],
    [() => forgetting.retrievability(any({ stability: 7, day: 3 })), "{ stability, days }"],
  ],
  reviewStability: [
    [() => forgetting.reviewStability({ ...review, ...more({ dificulty: 1 }) }), '"difficulty"'],
    [() => forgetting.reviewStability({ ...review, settings: any({ gian: 1 }) }), '"gain"'],
  ],
  selectEvents: [
    [() => forgetting.selectEvents([], any({}), any({ broughtback: 1 })), '"broughtBack"'],
    [() => forgetting.selectEvents([], any({}), { keep: any({ days: 1 }) }), '"day"'],
    [() => forgetting.selectEvents([], any({}), { weights: any({ relevence: 1 }) }), '"relevance"'],
  ],

  connectMcp: [
    [() => mcp.connectMcp({}, any({ clinet: {} })), '"clinet"'],
    [() => mcp.connectMcp({ files: any({ comand: "x", command: "x" }) }), '"command"'],
  ],
  injectionFrom: [
    [() => stack.add(mcp.injectionFrom(any({ server: "s", name: "n", text: "x" }), any({ prority: 1 }))), '"priority"'],
  ],

  aiSdkModel: [[() => aiSdk.aiSdkModel(any({ specificationVersion: "v3", doStream() {} }), any({ header: {} })), '"headers"']],
  promptstrataMiddleware: [[() => aiSdk.promptstrataMiddleware(any({ stack, budget: 500 })), '"budgetTokens"']],
  toAiSdkPrompt: [[() => aiSdk.toAiSdkPrompt(assembly(), any({ models: "x" })), '"model"']],
  toAiSdkTools: [[() => aiSdk.toAiSdkTools([], any({ local: "en" })), '"locale"']],

  toOpenaiMessages: [[() => openai.toOpenaiMessages(assembly(), any({ byte: new Map() })), '"bytes"']],
  openaiModel: [
    [() => openai.openaiModel(any({ model: "x", fech: fetch })), '"fetch"'],
    [() => (openai.openaiModel as (...given: unknown[]) => unknown)("x", { fetch }), "one argument"],
  ],

  createFileReferences: [[() => node.createFileReferences(any({}), any({ formats: [], maxByte: 1 })), '"maxBytes"']],
  createFileTools: [[() => node.createFileTools(any({}), any({ tool: [] })), '"tools"']],
  loadCard: [[() => cards.loadCard("a.png", any({ maxFileByte: 1 })), '"maxFileBytes"']],
  readCard: [[() => cards.readCard(new Uint8Array(), any({ maxFileByte: 1 })), '"maxFileBytes"']],
  writeCard: [[() => cards.writeCard(any({}), any({ formt: "png" })), '"format"']],
  loadPersona: [[() => node.loadPersona("fay", any({ local: "en" })), '"locale"']],
  loadPlugins: [[() => node.loadPlugins([], any({ local: "en" })), '"locale"']],
  loadProfile: [[() => node.loadProfile("fay", any({ local: "en" })), '"locale"']],
  loadSkills: [[() => node.loadSkills([], any({ local: "en" })), '"locale"']],
  openDocuments: [
    [() => node.openDocuments("nowhere", any({ local: "en" })), '"locale"'],
    [() => node.openDocuments("nowhere", { files: any({ maxFileByte: 1 }) }), '"maxFileBytes"'],
  ],
  openFolder: [[() => node.openFolder("nowhere", any({ hiden: "refuse" })), '"hidden"']],
  watchProfile: [[() => node.watchProfile("fay", any({ onProblems() {} })), '"onProblem"']],

  openStore: [
    [() => stores.openStore("nowhere", any({ lease: 1 })), '"leaseMs"'],
    [() => stores.openStore(any({ url: "postgres://x", pool: 1 })), '"pool"'],
  ],

  createHandler: [[() => server.createHandler(any({ agents: {}, autorize: () => true })), '"authorize"']],
  toUiMessageStream: [[() => server.toUiMessageStream(any({}), any({ tool: true })), '"tools"']],

  inspector: [
    [() => inspect.inspector(createAgent(agent()), any({ price: {} })), '"prices"'],
    [() => inspect.inspector(createAgent(agent()), { keep: any({ folder: "x", maxDay: 1 }) }), '"maxDays"'],
    [() => inspect.inspector(createAgent(agent())).listen(any({ prot: 1 })), '"port"'],
  ],

  deliverTurn: [[() => bots.deliverTurn(any({}), any({ sendTxt() {} })), '"sendText"']],
  connectDiscord: [
    [() => discord.connectDiscord(any({ ...agent(), discord: { Client: class {} }, token: "t", operator: [] })), '"operator"'],
    [() => discord.connectDiscord(any({ ...agent(), discord: {}, token: "t" })), "Client of discord"],
  ],
  connectTelegram: [
    [() => telegram.connectTelegram(any({ ...agent(), grammy, token: "t", operator: [] })), '"operator"'],
    [() => telegram.connectTelegram(any({ ...agent(), grammy: { Bot: grammy.Bot }, token: "t" })), "InputFile of grammy"],
  ],
  createBot: [
    [() => bots.createBot(any({ ...agent(), chat: () => ({}), shouldAnser: {} })), '"shouldAnswer"'],
    [
      () =>
        bots.createBot(any({ ...agent(), chat: () => ({}) })).take({ conversation: "c", audience: "private" }, any({ txt: "" })),
      '"text"',
    ],
  ],
  splitMessage: [[() => bots.splitMessage("x", any({ limt: 10 })), '"limit"']],

  expectStablePrefix: [[() => testing.expectStablePrefix(any({ preview() {} }), any({ question: [] })), '"questions"']],
  scriptedModel: [[() => testing.scriptedModel([], any({ chunksize: 1 })), '"chunkSize"']],
  simulateCache: [[() => testing.simulateCache([], any({ counter: main.roughCounter, price: {} })), '"prices"']],
  storeConformance: [
    [
      () =>
        testing.storeConformance(
          any(() => {}),
          any({ limit: 1 }),
        ),
      '"limitMs"',
    ],
  ],

  tiktokenCounter: [[() => tiktoken.tiktokenCounter(any({ modle: "gpt-4o" })), '"model"']],
}

const named = { name: "child", description: "Helps." }
const schedule = { sessions: [], cron: "0 8 * * *", timeZone: "UTC", reason: "Morning." }
const reference = { current: "one\ntwo", sources: [] } as never
const review = { stability: 1, days: 1, use: "used", turnsSince: 9 } as const

/** Public functions without options: their arguments have no names, or are data with names of their own. */
const withoutOptions = [
  "PromptStrataError commandList createAssembler",
  "countingIds createFileReferenceReader diffAssemblies escapeTemplate expectScriptsDone findMentions",
  "formatEventLine formatFileReference formatReferenceInfo formatTranscript fromAiSdkTools loadDialect manualClock",
  "manualTimers modelCompressionWriter parseEventLine parseReferenceInfo parseTranscript printAssembly printCacheReport printReceipts",
  "printTrace renderTemplate seededRandom shippedDialect skillFrom splitBubbles splitSystemPrompt",
  "stripThinking errorWords printMentions readMentions",
].flatMap((line) => line.split(" "))

describe("a name that a public function does not know", () => {
  const rows = Object.entries(misspelt).flatMap(([name, calls]) => calls.map(([call, message]) => [name, message, call] as const))

  test.each(rows)("is told by %s with %s", async (_name, message, call) => {
    const asked = (async () => call())()
    await expect(asked).rejects.toThrow(PromptStrataError)
    await expect(asked).rejects.toThrow(message)
  })

  test("is looked for in each of them", async () => {
    const entries = await Promise.all(
      entryPoints().map(({ source }) => import(pathToFileURL(root + source).href) as Promise<object>),
    )
    const functions = entries.flatMap((entry) =>
      Object.entries(entry).flatMap(([name, value]) => (typeof value === "function" ? [name] : [])),
    )
    expect([...Object.keys(misspelt), ...withoutOptions].sort()).toEqual(functions.sort())
  })
})
