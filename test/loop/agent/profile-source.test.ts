import { describe, expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import type { Profile, ProfileInput, ProfileSource } from "../../../src/profile/profile.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"

const profileOf = (persona: string, more: ProfileInput = {}) => resolveProfile({ persona, ...more })

/** A source that tells what it is told to, at once or later. */
function sourceOf(first: Profile) {
  const refused: unknown[] = []
  const source: ProfileSource & { next: Profile | Promise<Profile> } = {
    profile: first,
    next: first,
    current() {
      return this.next
    },
    refuse: (error) => void refused.push(error),
  }
  return { source, refused }
}

/** What a new session's next request says. */
async function begin(agent: ReturnType<typeof createAgent>, name: string): Promise<string> {
  return JSON.stringify((await agent.session(name).preview("Hi")).messages)
}

describe("an agent of a profile that changes (L13)", () => {
  test("gives each new session the current one, at once or once it is read, and no running one", async () => {
    const { source } = sourceOf(profileOf("ONE"))
    const agent = createAgent({ profile: source, model: scriptedModel([]) })
    const running = agent.session("running")
    source.next = profileOf("TWO")
    expect(await begin(agent, "second")).toContain("TWO")
    source.next = Promise.resolve(profileOf("THREE"))
    expect(await begin(agent, "third")).toContain("THREE")
    expect(JSON.stringify(await running.preview("Hi"))).toContain("ONE")
    expect(agent.session("running")).toBe(running)
  })

  test("keeps the one before where no agent can be made of the next, and tells the source once", async () => {
    const { source, refused } = sourceOf(profileOf("ONE"))
    const agent = createAgent({ profile: source, model: scriptedModel([]) })
    source.next = profileOf("BAD", { prestart: [{ tool: "nobodys" }] })
    for (const name of ["a", "b", "c"]) expect(await begin(agent, name)).toContain("ONE")
    expect(refused).toEqual([expect.objectContaining({ code: "profile" })])
  })

  test("throws where the first is of no use", () => {
    const { source, refused } = sourceOf(profileOf("BAD", { prestart: [{ tool: "nobodys" }] }))
    expect(() => createAgent({ profile: source, model: scriptedModel([]) })).toThrow("nobodys")
    expect(refused).toEqual([])
  })

  test("L10 a plugin that hangs when it is closed is waited for no longer than a tool, and the others are closed", async () => {
    const closed: string[] = []
    const begun = Promise.withResolvers<void>()
    const hang = () => {
      begun.resolve()
      return new Promise<void>(() => undefined)
    }
    const plugins = [
      { name: "stuck", close: hang },
      { name: "well", close: () => void closed.push("well") },
    ]
    const { agent, timers } = testAgent(scriptedModel([]), { limits: { toolMs: 700 } }, { plugins })
    const closing = agent.close()
    await begun.promise
    await new Promise((resolve) => setImmediate(resolve))
    timers.advance(700)
    await expect(closing).rejects.toThrow('expected the plugin "stuck" to close, but it was not done after 700 ms.')
    expect(closed).toEqual(["well"])
  })

  test("keeps the agent's id, which keys its sessions, and closes the plugins of every version once", async () => {
    const closed: string[] = []
    const plugin = (name: string) => ({ name, close: () => void closed.push(name) })
    const { source } = sourceOf(profileOf("ONE", { plugins: [plugin("a")] }))
    const agent = createAgent({ profile: source, model: scriptedModel([]) })
    const two = profileOf("TWO", { agent: { id: "other" }, plugins: [plugin("b")] })
    source.next = two
    expect(agent.session("x").key.agent).toBe("default")
    await agent.session("y").preview("Hi")
    // The same plugin in a copy, as it comes where only its skills have other modes.
    source.next = profileOf("THREE", { plugins: two.plugins.map((one) => ({ ...one, skills: [] })) })
    await agent.session("z").preview("Hi")
    await agent.close()
    await agent.close()
    expect(closed.sort()).toEqual(["a", "b"])
  })

  test("an abort while the profile is read ends the turn at once", async () => {
    const { source } = sourceOf(profileOf("ONE"))
    const agent = createAgent({ profile: source, model: scriptedModel([]) })
    source.next = new Promise(() => undefined)
    const turn = agent.session("x").send("Hi")
    turn.abort()
    expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
  })
})
