import { describe, expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { countingIds, manualClock, manualTimers, type ScriptedModel, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const fixtures = `${root}test/fixtures/plugins`

/** An agent of a profile that enables plugins by path. It has one conversation, "c", and its clock does not move. */
async function agentWith(
  enabled: readonly string[],
  model: ScriptedModel,
  { store = createIdleStore(), options = "" }: { readonly store?: Store; readonly options?: string } = {},
) {
  const clock = manualClock(1_000)
  const timers = manualTimers(clock)
  const folder = tempFolder({
    "a.toml": `locale = "en"\n[retry]\nmax_attempts = 1\n[plugins]\nenabled = ${JSON.stringify(enabled)}\n${options}`,
  })
  const warnings: string[] = []
  const onWarning: AgentOptions["onWarning"] = ({ message }) => void warnings.push(message)
  const profile = await loadProfile(`${folder}/a.toml`, { env: {}, clock })
  const agent = createAgent({ profile, model, store, onWarning, ports: { clock, timers, ids: countingIds() } })
  return { agent, session: agent.session("c"), timers, warnings }
}

/** A module with one hook, whose body the test gives. */
function hookModule(name: string, body: string): string {
  return `${tempFolder({ [`${name}.mjs`]: `export const plugin = { name: '${name}', hooks: [{ name: '${name}', ${body} }] }` })}/${name}.mjs`
}

const sent = (model: ScriptedModel, at: number) => model.requests[at]?.messages.map(({ content }) => content).join("\n") ?? ""

describe("plugins in a turn", () => {
  test("L10: a tool plugin's tool is told to the model, runs, and its answer comes back", async () => {
    const model = scriptedModel([callTool("roll_die", { sides: 20 }), finish("A twenty!")])
    const { session } = await agentWith([`${fixtures}/dice.mjs`], model)
    expect(await session.send("Roll!").result).toMatchObject({ ok: true, text: "A twenty!" })
    expect(sent(model, 0)).toContain("roll_die")
    expect(sent(model, 1)).toContain("The die with 20 sides shows 20.")
  })

  test("L10: a hook plugin adds to the prompt and brings a tool, sees how the turn ended, and its state lasts in the store", async () => {
    const { ended } = (await import(`${fixtures}/mood.mjs`)) as { ended: unknown[] }
    ended.length = 0
    const options = '[plugins.options.mood]\ninitial = "sleepy"\n'
    const store = createIdleStore()
    const model = scriptedModel([callTool("set_mood", { mood: "happy" }), finish("Yay."), finish("Still.")])
    const first = await agentWith([`${fixtures}/mood.mjs`], model, { store, options })
    await first.session.send("Cheer up!").result
    await first.session.send("And now?").result
    await first.agent.idle()
    expect(sent(model, 0)).toContain("Mood: sleepy. Turn: 1.")
    expect(sent(model, 2)).toContain("Mood: happy. Turn: 2.")
    expect(ended).toEqual([
      { question: "Cheer up!", ok: true, text: "Yay.", atMs: 1_000 },
      { question: "And now?", ok: true, text: "Still.", atMs: 1_000 },
    ])
    const later = scriptedModel([finish("Hello again.")])
    const second = await agentWith([`${fixtures}/mood.mjs`], later, { store, options })
    await second.session.send("Hi.").result
    expect(sent(later, 0)).toContain("Mood: sleepy. Turn: 3.")
  })

  test("a hook that throws is a warning and nothing else; those after it still run", async () => {
    const bad = hookModule("bad", "beforeTurn({ stack }) { stack.add('half', 'HALF'); throw new Error('lost my notes') }")
    const good = hookModule("good", "beforeTurn({ stack }) { stack.add('whole', 'WHOLE') }")
    const model = scriptedModel([finish("ok")])
    const { session } = await agentWith([bad, good], model)
    const result = await session.send("Hi").result
    expect(result).toMatchObject({ ok: true, text: "ok" })
    expect(result.trace.warnings.map(({ message }) => message)).toEqual(["The hook bad failed: lost my notes."])
    expect(sent(model, 0)).toContain("WHOLE")
    expect(sent(model, 0)).not.toContain("HALF")
  })

  test("a hook that hangs is given up at its limit; what it adds later is ignored, in this turn and the next", async () => {
    const slow = hookModule(
      "slow",
      "async beforeTurn({ stack, state, addTools, signal, question }) { if (question !== 'Hi') return; await new Promise((r) => signal.addEventListener('abort', r)); stack.add({ key: 'late', content: 'LATE', scope: 'session' }); state.set('LATE'); addTools([]) }",
    )
    const model = scriptedModel([finish("one"), finish("two")])
    const store = createIdleStore()
    const { session, timers } = await agentWith([slow], model, { store })
    const turn = session.send("Hi")
    await timers.whenPending(1)
    while (model.requests.length === 0) {
      timers.advance(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const result = await turn.result
    expect(result.trace.warnings.map(({ message }) => message)).toEqual(["The hook slow took longer than 5000 ms."])
    await session.send("And now?").result
    expect(sent(model, 0) + sent(model, 1)).not.toContain("LATE")
    expect(JSON.stringify(await store.load(session.key))).not.toContain("LATE")
  })

  test("afterTurn keeps no turn waiting, is awaited by idle, sees failed turns too, and a throwing one is told", async () => {
    const open = "globalThis.promptstrataTest"
    const held = hookModule("held", `async afterTurn({ result }) { await ${open}.gate; ${open}.seen.push(result.ok) }`)
    const bad = hookModule("bad", "afterTurn() { throw new Error('disk full') }")
    const world = globalThis as { promptstrataTest?: { gate: Promise<void>; seen: boolean[] } }
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const state = { gate, seen: [] as boolean[] }
    world.promptstrataTest = state
    try {
      const model = scriptedModel([finish("one"), [new Error("offline")]])
      const { agent, session, warnings } = await agentWith([held, bad], model)
      expect(await session.send("Hi").result).toMatchObject({ ok: true })
      expect(await session.send("Hi?").result).toMatchObject({ ok: false })
      expect(state.seen).toEqual([])
      let isIdle = false
      const idle = agent.idle().then(() => {
        isIdle = true
      })
      await new Promise((resolve) => setImmediate(resolve))
      expect(isIdle).toBe(false)
      release()
      await idle
      expect(state.seen).toEqual([true, false])
      expect(warnings).toEqual(Array(2).fill("The hook bad failed after the turn: disk full"))
    } finally {
      delete world.promptstrataTest
    }
  })
})
