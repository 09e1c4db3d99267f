import { describe, expect, test } from "vitest"
import { z } from "zod"
import { inspector } from "../../../../src/apps/server/inspector/inspector.ts"
import type { LanguageModel, ModelRequest } from "../../../../src/core/model/language-model.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { countingIds, manualClock, manualTimers, scriptedModel, seededRandom } from "../../../../src/testing/index.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { printShort } from "../../../support/print-short.ts"

const start = Date.UTC(2026, 0, 2, 3, 4, 5)

/** An agent whose model takes a second for each call, and tells what it read; its inspector, and one of everything that the page asks. */
function scene() {
  const clock = manualClock(start)
  const store = createInMemoryStore()
  const ports = { clock, timers: manualTimers(clock), ids: countingIds(), random: seededRandom(1) }
  const modelOf = (id: string, answers: readonly string[]): LanguageModel => {
    const left = [...answers]
    return {
      id,
      capabilities: { developerRole: false, tools: false },
      async *stream({ messages }: ModelRequest) {
        clock.advance(1_000)
        const answer = left.shift() ?? finish("Nothing more.")
        if (answer === "") throw new Error("The line is dead.")
        yield { type: "text-delta", delta: answer }
        const inputTokens = 100 * messages.length
        yield { type: "usage", usage: { inputTokens, inputCacheReadTokens: inputTokens / 2, outputTokens: 10 } }
        yield { type: "finish", reason: "stop" }
      },
    }
  }
  const look = defineTool({
    ...{ name: "look", description: "Looks at the clock.", inputSchema: z.object({}) },
    execute() {
      clock.advance(200)
      return "three"
    },
  })
  const profileOf = (persona: string) =>
    resolveProfile({
      ...{ name: "luna", dialect: "layered", locale: "en", persona, agent: { name: "Luna", colour: "#aabbcc" } },
      ...{ user: { name: "Ann" }, memory: { enabled: false }, retry: { maxAttempts: 1 } },
    })
  const shared = { store, tools: [look], ports }
  const answers = [callTool("look"), finish("It is three."), finish("Still three."), ""]
  const agent = createAgent({ ...shared, profile: profileOf("You are Luna."), model: modelOf("calm", answers) })
  const made = inspector(agent, {
    ...{ clock, timers: ports.timers, token: "a-token-of-the-test", chat: true, editor: "vscode://file/{file}:{line}" },
    prices: { calm: { input: 10, output: 20, cacheRead: 1 }, wild: { input: 1, output: 2 } },
    variant: ({ model = "calm", profile }) =>
      createAgent({
        ...shared,
        profile: profileOf(profile ?? "You are Luna."),
        model: modelOf(model, [finish(`I am ${model}.`)]),
        runJobs: false,
      }),
  })
  const ask = async (path: string, body?: unknown): Promise<{ status: number; type: string | null; value: unknown }> => {
    const url = `http://127.0.0.1:1/${made.token}/${path}`
    const init = body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }
    const response = await made.fetch(new Request(url, init))
    const text = await response.text()
    const type = response.headers.get("content-type")
    return { status: response.status, type, value: type?.startsWith("application/json") ? JSON.parse(text) : text }
  }
  return { agent, clock, store, made, ask }
}

/** A scene in which a turn used a tool, one followed it, one failed and one woke by itself. */
async function played() {
  const all = scene()
  const session = all.agent.session("shop")
  session.stack.add({ key: "mood", content: "You are calm.", scope: "global" })
  const ids: string[] = []
  for (const words of ["What time is it?", "And now?"]) ids.push((await session.send(words).result).trace.turnId)
  const group = all.agent.session({ conversation: "square", audience: "group" })
  ids.push((await group.send("Hello?", { from: { id: "bob", name: "Bob" } }).result).trace.turnId)
  ids.push((await session.wake("The shop closes.").result).trace.turnId)
  const [asked = "", next = "", failed = "", woken = ""] = ids
  return { ...all, asked, next, failed, woken }
}

/** What the page asks and gets, as a text for a person. */
function transcript({ ask }: Pick<ReturnType<typeof scene>, "ask">) {
  const parts: string[] = []
  return {
    async add(path: string, body?: unknown) {
      const { status, value } = await ask(path, body)
      const asked = body === undefined ? `GET ${path}` : `POST ${path} ${JSON.stringify(body)}`
      parts.push(`## ${asked}\n${status}\n\`\`\`json\n${printShort(value)}\n\`\`\`\n`)
    },
    text: () => withoutRepeats(parts.join("\n")),
  }
}

/** Of a long line, such as a span of a prompt, only the first is shown whole: a change of it is read once. */
function withoutRepeats(text: string): string {
  const seen = new Set<string>()
  return text.replaceAll(/^ *(.{100,}?),?$/gm, (line, words: string) => {
    if (seen.has(words)) return `${line.slice(0, 50)} … as above`
    seen.add(words)
    return line
  })
}

describe("the page and its inspector", () => {
  test("talk about turns: lists, records, growth, the timeline and what is stored", async () => {
    const { asked, next, failed, woken, ...all } = await played()
    const { add, text } = transcript(all)
    await add("api/info")
    await add("api/turns")
    for (const query of ["conversation=square", "state=failed", "search=NOW", "search=three&limit=1", `before=${next}`])
      await add(`api/turns?${query}`)
    for (const id of [asked, next, failed, woken]) await add(`api/turns/${id}`)
    for (const what of ["growth", "timeline", "stored"]) await add(`api/turns/${next}/${what}`)
    await expect(text()).toMatchFileSnapshot("__snapshots__/turns.md")
  })

  test("talk about changes: previews, replays, comparisons and what they cost", async () => {
    const { asked, next, failed, ...all } = await played()
    const { add, text } = transcript(all)
    await add(`api/turns/${next}/preview`, {})
    await add(`api/turns/${next}/preview`, { off: ["mood"], budgetTokens: 2_000 })
    await add(`api/turns/${asked}/replay`, { change: { model: "wild" }, run: true })
    await add(`api/compare?a=${asked}&b=${next}&requestA=1`)
    await add(`api/compare?a=${failed}&b=${next}`)
    await add("api/compare", { question: "Who?", left: { model: "calm" }, right: { model: "wild", profile: "You are wild." } })
    await add("api/compare", { question: "Who?", right: { model: "wild" }, run: true })
    await expect(text()).toMatchFileSnapshot("__snapshots__/changes.md")
  })

  test("refuse each other in words that say what was expected", async () => {
    const { asked, woken, ask, made } = await played()
    const without = inspector(createAgent({ profile: resolveProfile({ name: "x" }), model: scriptedModel([]) }), {
      token: "another-token-of-it",
    })
    const refusals: string[] = []
    const refused = async (path: string, body?: unknown, inspected = made) => {
      const init = body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }
      const response = await inspected.fetch(new Request(`http://127.0.0.1:1/${inspected.token}/${path}`, init))
      const { error } = (await response.json()) as { error: { message: string; param?: string } }
      const given = JSON.stringify(body)?.slice(0, 80) ?? ""
      refusals.push(`${path} ${given}\n  ${response.status} ${error.param ?? "-"}: ${error.message}`)
    }
    const turn = `api/turns/${asked}`
    for (const limit of ["0", "201", "1.5", "many"]) await refused(`api/turns?limit=${limit}`)
    await refused("api/turns?before=nobody")
    for (const path of ["api/turns/nobody", "api/nothing", "nothing", "api/files", "api/documents"]) await refused(path)
    await refused("api/turns", {})
    for (const body of ["{", "[]", { budgetTokens: 0 }, { budgetTokens: "9" }, { off: "mood" }, { off: [1] }])
      await refused(`${turn}/preview`, body)
    await refused(`api/turns/${woken}/preview`, {})
    for (const body of [
      { run: 1 },
      { change: 1 },
      { change: { persona: "x" } },
      { change: { model: "" } },
      { change: { files: 1 } },
    ])
      await refused(`${turn}/replay`, body)
    await refused(`${turn}/recall`, { query: 1 })
    await refused(`${turn}/recall`, { query: "tea" })
    await refused("api/tokens", { text: "x".repeat(5_001) })
    for (const query of ["", "?a=x", `?a=${asked}&b=${asked}&requestA=2`, `?a=${asked}&b=${asked}&requestB=-1`])
      await refused(`api/compare${query}`)
    for (const body of [
      {},
      { question: "" },
      { question: "q", run: "yes" },
      { question: "q", expected: 1 },
      { turn: asked, question: "q" },
    ])
      await refused("api/compare", body)
    await refused("api/chat", { text: " " })
    await refused("api/chat", { text: "hi" }, without)
    await refused("api/compare", { question: "q", left: { model: "m" } }, without)
    expect((await ask("api/turns?limit=200")).status).toBe(200)
    expect((await ask("api/tokens", { text: "x".repeat(5_000) })).status).not.toBe(400)
    await expect(`${refusals.join("\n")}\n`).toMatchFileSnapshot("__snapshots__/refusals.txt")
  })
})
