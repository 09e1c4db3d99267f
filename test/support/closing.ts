import { expect } from "vitest"
import type { BackgroundWarning } from "../../src/loop/turn/turn-context.ts"
import type { BackgroundJob } from "../../src/memory/services/background/background-job.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { testAgent } from "./agents.ts"
import { backgroundModel } from "./remembering.ts"

/** The agent's id, in every scene. */
export const closingAgent = "test"

/** An agent over a store whose turns leave one job each, and what was warned of. */
export function agentWithJob(store: Store, run: BackgroundJob["run"]) {
  const warnings: BackgroundWarning[] = []
  const closed: string[] = []
  const plugin = {
    name: "p",
    jobs: [{ kind: "count", afterTurn: ({ turn }: { readonly turn: number }) => ({ turn }), run }],
    close: async () => void closed.push("plugin"),
  }
  const { agent, session } = testAgent(
    backgroundModel(),
    { agent: { id: closingAgent, name: "Fay" }, memory: { enabled: false } },
    { store, plugins: [plugin], onWarning: (warning) => void warnings.push(warning) },
  )
  return { agent, session, warnings, closed }
}

/** What closing an agent and its store in any order comes to, on every store. `refuses`: whether a closed one takes no more turns. */
export const closingScenes: readonly {
  readonly name: string
  readonly play: (open: () => Promise<Store>, traits: { readonly refuses: boolean }) => Promise<void>
}[] = [
  {
    name: "an agent closes without a word before its store, with its last jobs done",
    async play(open) {
      const store = await open()
      const done: unknown[] = []
      const { agent, session, warnings, closed } = agentWithJob(store, async ({ payload }) => void done.push(payload.turn))
      for (const text of ["one", "two", "three"]) expect(await session.send(text).result).toMatchObject({ ok: true })
      await agent.close()
      expect(done).toEqual([0, 1, 2])
      await store.close()
      expect([warnings, closed]).toEqual([[], ["plugin"]])
    },
  },
  {
    name: "an agent closes after its store too, and says once that jobs may be left",
    async play(open) {
      const store = await open()
      const { agent, session, warnings, closed } = agentWithJob(store, async () => undefined)
      await session.send("one").result
      await agent.idle()
      await store.close()
      await agent.close()
      await agent.close()
      expect(warnings).toMatchObject([{ error: { code: "closed" }, message: expect.stringContaining("Close a store after") }])
      expect(closed).toEqual(["plugin"])
    },
  },
  {
    name: "a job that runs while store and agent are closed is done before either is",
    async play(open) {
      const store = await open()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const { promise: gate, resolve: release } = Promise.withResolvers<void>()
      const ended: string[] = []
      const { agent, session } = agentWithJob(store, async () => {
        begin()
        await gate
        ended.push("job")
      })
      await session.send("one").result
      await begun
      const closing = [store.close().then(() => ended.push("store")), agent.close().then(() => ended.push("agent"))]
      release()
      await Promise.all(closing)
      expect(ended[0]).toBe("job")
      expect(ended).toHaveLength(3)
    },
  },
  {
    name: "what is asked of a store as it is closed is done, or refused as closed",
    async play(open) {
      const store = await open()
      const { agent, session } = agentWithJob(store, async () => undefined)
      await session.send("one").result
      const key = { agent: closingAgent, conversation: "test", audience: "private" } as const
      const outcomeOf = (work: Promise<unknown>) =>
        work.then(
          () => "done",
          (error: { readonly code?: string }) => error.code,
        )
      const asked = Array.from({ length: 6 }, () => outcomeOf(store.load(key)))
      const closing = store.close()
      let isClosed = false
      void closing.then(() => {
        isClosed = true
      })
      for (let at = 0; at < 300 && !isClosed; at++) {
        asked.push(outcomeOf(store.load(key)))
        await (at % 10 === 0 ? new Promise(setImmediate) : Promise.resolve())
      }
      expect((await Promise.all(asked)).filter((outcome) => outcome !== "done" && outcome !== "closed")).toEqual([])
      await closing
      await agent.close()
    },
  },
  {
    name: "a turn of an agent whose store was closed ends in a typed error, and the agent closes",
    async play(open, { refuses }) {
      const store = await open()
      const { agent, session } = agentWithJob(store, async () => undefined)
      await store.close()
      const result = await session.send("one").result
      expect(result.ok ? "ok" : result.error.code).toBe(refuses ? "closed" : "ok")
      await agent.close()
    },
  },
]
