import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Injection } from "../../../src/core/value.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { runs } from "../../support/size.ts"
import { anyInjection, anyStack } from "./arbitrary-stack.ts"

const snapshot = (stack: PromptStack) => stack.keys.map((key) => stack.get(key))

function session(): PromptStack {
  return new PromptStack([
    { key: "safety", content: "safe", scope: "global" },
    { key: "mood", content: "calm", scope: "session" },
    { key: "place", content: "home", scope: "session" },
  ])
}

describe("forks of a stack", () => {
  test("S9 a fork begins as its parent, and its changes do not show there", () => {
    const parent = session()
    const before = snapshot(parent)
    const fork = parent.fork()
    expect(snapshot(fork)).toEqual(before)
    fork.add("mood", "wild", { scope: "session" })
    fork.add("hint", "x")
    fork.remove("place")
    fork.clearScope("global")
    expect(snapshot(parent)).toEqual(before)
  })

  test("S9 the end of a turn removes exactly the turn items that its fork has seen; an update shows a fork what was added since", () => {
    const items = fc.array(anyInjection, { maxLength: 6 })
    fc.assert(
      fc.property(anyStack, items, items, items, (make, before, during, after) => {
        const parent = make().fork({ sharesGlobal: true })
        const begun = snapshot(parent)
        for (const item of before) parent.add(item)
        const fork = parent.fork()
        for (const item of during) parent.add(item)
        fork.update()
        expect(new Set(snapshot(fork))).toEqual(new Set(snapshot(parent)))
        const seen = new Set(snapshot(parent))
        for (const item of after) parent.add(item)
        const whole = snapshot(parent)
        const lasting = new Map([...parent.items("global"), ...parent.items("session")].map((item) => [item.key, item]))
        parent.endTurn(fork)
        const stays = (item: Injection) => item.scope !== "turn" || !seen.has(item) || begun.includes(item)
        expect(snapshot(parent)).toEqual(
          whole.flatMap((item) => (item && stays(item) ? item : (lasting.get(item?.key ?? "") ?? []))),
        )
      }),
      { numRuns: runs(100) },
    )
  })

  test("S9 merging takes over session items that were added, changed and removed, and nothing else", () => {
    const parent = session()
    const fork = parent.fork()
    fork.add("mood", "wild", { scope: "session" })
    fork.add("hint", "for this turn")
    fork.add("weather", "rain", { scope: "session" })
    fork.remove("place")
    fork.remove("safety")
    parent.merge(fork)
    expect(parent.render()).toBe("## safety\nsafe\n\n## mood\nwild\n\n## weather\nrain")
    parent.merge(fork)
    expect(parent.keys).toEqual(["safety", "mood", "weather"])
  })

  test("S9 a fork that is not merged leaves nothing behind", () => {
    const parent = session()
    parent.fork().add("mood", "wild", { scope: "session" })
    expect(parent.get("mood")?.content).toBe("calm")
  })

  test("S9 a turn item that stood in for a session item gives way to it again", () => {
    const parent = session()
    const fork = parent.fork()
    fork.add("mood", "wild")
    expect(fork.items("session").map(({ content }) => content)).toEqual(["calm", "home"])
    fork.clearScope("turn")
    expect(fork.get("mood")?.content).toBe("calm")
    parent.merge(fork)
    expect(parent.get("mood")?.content).toBe("calm")
  })

  test("S9 a session item that a turn item covers can be changed and removed beneath it", () => {
    const parent = session().fork({ sharesGlobal: true })
    parent.add("mood", "wild")
    parent.add("place", "street")
    const fork = parent.fork()
    fork.add("mood", "tired", { scope: "session" })
    fork.add("mood", "asleep")
    expect(fork.clearScope("session")).toBe(2)
    expect(fork.items("session")).toEqual([])
    fork.add("mood", "awake", { scope: "session" })
    fork.add("mood", "asleep")
    parent.merge(fork)
    parent.endTurn(fork)
    expect(parent.items().map(({ content }) => content)).toEqual(["safe", "awake"])
  })

  test("S9 an item that was removed and came back stands last, as it did in the turn", () => {
    const parent = session()
    const fork = parent.fork()
    fork.remove("mood")
    fork.add("mood", "wild", { scope: "session" })
    parent.merge(fork)
    expect(parent.keys).toEqual(["safety", "place", "mood"])
    expect(parent.keys).toEqual(fork.keys)
  })

  test("S9 what changed in the parent meanwhile stays unless the fork changed it too", () => {
    const parent = session()
    const fork = parent.fork()
    parent.add("mood", "tired", { scope: "session" })
    parent.add("place", "garden", { scope: "session" })
    parent.add("new", "x", { scope: "session" })
    fork.add("place", "street", { scope: "session" })
    parent.merge(fork)
    expect(parent.items().map((item) => item.content)).toEqual(["safe", "tired", "street", "x"])
  })

  test("S9 global items come from outside the turn: a fork refuses them", () => {
    const fork = session().fork()
    expect(() => fork.add("rule", "x", { scope: "global" })).toThrow(expect.objectContaining({ code: "injection" }))
    expect(() => fork.fork().add("rule", "x", { scope: "global" })).toThrow(expect.objectContaining({ code: "injection" }))
    expect(fork.keys).not.toContain("rule")
  })

  test("S11 a turn adopts all that a hook did to a fork of its stack, and its session items reach the session", () => {
    const parent = session()
    const turn = parent.fork()
    const hook = turn.fork()
    hook.add("hint", "for this turn")
    hook.add("mood", "wild", { scope: "session" })
    hook.remove("place")
    hook.remove("safety")
    turn.add("meanwhile", "x")
    turn.adopt(hook)
    expect(turn.keys).toEqual(["mood", "meanwhile", "hint"])
    parent.merge(turn)
    expect(parent.items().map((item) => item.content)).toEqual(["safe", "wild"])
  })

  test("S11 a hook that put a turn item in a session item's place and took it away again does not end the latter", () => {
    const parent = session()
    const turn = parent.fork()
    const hook = turn.fork()
    hook.add("mood", "wild")
    hook.remove("mood")
    turn.adopt(hook)
    expect(turn.get("mood")?.content).toBe("calm")
    parent.merge(turn)
    expect(parent.get("mood")?.content).toBe("calm")
  })

  test("only a fork of the stack itself can be merged", () => {
    const parent = session()
    for (const stranger of [new PromptStack(), parent, parent.fork().fork()]) {
      expect(() => parent.adopt(stranger)).toThrow(expect.objectContaining({ code: "injection" }))
      expect(() => parent.merge(stranger)).toThrow(expect.objectContaining({ code: "injection" }))
    }
  })

  test("S9 after any turn the parent holds its own global and turn items and the fork's session items", () => {
    const turn = fc.array(fc.oneof(anyInjection, fc.constantFrom("a", "b", "c", "__proto__")), { maxLength: 10 })
    fc.assert(
      fc.property(anyStack, turn, (make, acts) => {
        const parent = make()
        const before = new Map(parent.items().map((item) => [item.key, item]))
        const fork = parent.fork()
        for (const act of acts) {
          if (typeof act === "string") fork.remove(act)
          else if (act.scope !== "global") fork.add(act)
        }
        parent.merge(fork)
        for (const item of fork.items()) {
          if (item.scope === "session") expect(parent.items("session")).toContain(item)
        }
        for (const item of parent.items()) {
          if (item !== before.get(item.key)) expect(item.scope).toBe("session")
        }
        const lost = [...before.values()].filter((item) => item.scope !== "session" && !parent.get(item.key))
        expect(lost).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})
