import { describe, expect, test, vi } from "vitest"
import { virtualContextNote } from "../../../../src/memory/forgetting/plugin/context-state.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { scriptedModel } from "../../../../src/testing/scripted-model.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { createIdleStore } from "../../../support/idle-store.ts"
import { type Rehearsal, rehearse } from "../../../support/virtual-context.ts"

const dayMs = 86_400_000
const put = callTool("put_into_workspace", { id: "%[notes/plan.md]", text: "the plan" })
const reported = (used: readonly string[]) =>
  JSON.stringify({ action: "finish", message: "By the plan.", tool: "report_use", args: { used, maybe_used: [] } })

/** The system message of the next prompt. */
async function system({ session }: Rehearsal): Promise<string> {
  const { messages } = await session.preview("hm")
  return messages[0]?.content ?? ""
}

describe("the workspace", () => {
  test("R16: use is reported together with the answer, without another step (JSON)", async () => {
    const model = scriptedModel([put, finish("Put."), reported(["%[notes/plan.md]", "nowhere"])])
    const rehearsal = rehearse({ model, profile: { dialect: "root" } })
    await rehearsal.say("keep it")
    rehearsal.clock.advance(5 * dayMs)
    const turn = await rehearsal.say("use it")
    expect(turn).toMatchObject({ ok: true, text: "By the plan." })
    expect(turn.trace.steps.length).toBe(1)
    expect(turn.trace.runs.map(({ result }) => result)).toEqual(["Noted: 1\nNot in the workspace: nowhere"])
    expect((await rehearsal.state()).workspace[0]?.recalled.turn).toBe(1)
  })

  test("R16: use is reported together with the answer, without another step (native)", async () => {
    const call = { id: "1", name: "put_into_workspace", args: JSON.stringify({ id: "a.md", text: "a" }) }
    const report = { id: "2", name: "report_use", args: JSON.stringify({ used: "a.md" }) }
    const tool = (made: typeof call) => ({ type: "tool-call" as const, call: made })
    const model = scriptedModel([[tool(call)], "Put.", [{ type: "text-delta", delta: "By a." }, tool(report)]], {
      capabilities: { tools: true },
    })
    const rehearsal = rehearse({ model, profile: { dialect: "root", loop: { mode: "native" } } })
    await rehearsal.say("keep it")
    const turn = await rehearsal.say("use it")
    expect(turn).toMatchObject({ ok: true, text: "By a." })
    expect([turn.trace.steps.length, turn.trace.runs[0]?.result]).toEqual([1, "Noted: 1"])
  })

  test("R16: a report that is missing is asked for once in its turn, and a turn tells that none came", async () => {
    const report = callTool("report_use", { used: ["notes/plan.md"] })
    const model = scriptedModel([put, finish("Put."), finish("One."), report, finish("Two."), finish("Three."), reported([])])
    const rehearsal = rehearse({ model, profile: { dialect: "root" } })
    await rehearsal.say("keep it")
    const turn = await rehearsal.say("use it")
    expect(turn).toMatchObject({ ok: true, text: "One.", trace: { runs: [{ result: "Noted: 1" }], warnings: [] } })
    expect(turn.trace.unreported).toBeUndefined()
    const without = await rehearsal.say("go on")
    expect(without.trace.warnings.map(({ message }) => message)).toEqual([expect.stringContaining("without report_use")])
    expect(without.trace.unreported).toEqual(["report_use"])
    expect((await rehearsal.say("go on")).trace.unreported).toBeUndefined()
  })

  test("R16: with nothing in the workspace there is nothing to report, and no tool for it", async () => {
    const model = scriptedModel([finish("hi"), put, finish("Put.")])
    const rehearsal = rehearse({ model, profile: { dialect: "root" } })
    await rehearsal.say("hi")
    expect(await system(rehearsal)).not.toContain("report_use")
    await rehearsal.say("keep it")
    const held = await system(rehearsal)
    expect(held).toContain('"tool": "report_use"')
    expect(held).not.toContain("- report_use:")
  })

  test("R14, R16: what is used stays, what is not fades and is taken out", async () => {
    const model = scriptedModel([
      put,
      callTool("put_into_workspace", { id: "%[old.md]" }),
      finish("ok"),
      ...Array(6).fill(reported(["notes/plan.md"])),
    ])
    const rehearsal = rehearse({ model, profile: { dialect: "root" } })
    await rehearsal.say("keep both")
    expect(await system(rehearsal)).toContain("- %[notes/plan.md](file)\n  the plan\n- %[old.md](file)")
    for (let turn = 0; turn < 6; turn++) {
      rehearsal.clock.advance(2 * dayMs)
      await rehearsal.say("go on")
    }
    expect((await rehearsal.state()).workspace.map(({ id }) => id)).toEqual(["notes/plan.md"])
  })

  test("R15, R22: what was only looked at is a line in the next turn, and gone some turns later", async () => {
    const model = scriptedModel([callTool("pull_messages", {}), ...Array(9).fill(finish("ok"))])
    const rehearsal = rehearse({ model, profile: { dialect: "root" }, options: { pulled: { keepTurns: 2 } } })
    await rehearsal.say("a")
    await rehearsal.say("b")
    expect((await rehearsal.state()).pulled).toEqual([])
    const again = rehearse({
      model: scriptedModel([finish("hi"), callTool("pull_messages"), ...Array(4).fill(finish("ok"))]),
      profile: { dialect: "root" },
      options: { pulled: { keepTurns: 2 } },
    })
    await again.say("first words")
    await again.say("what did I say?")
    expect(await system(again)).toMatch(/20260105 9:00"? - "?User: first words/)
    for (let turn = 0; turn < 3; turn++) await again.say("go on")
    expect((await again.state()).pulled).toEqual([])
  })
})

describe("tools of the context group (R28)", () => {
  test("R13: messages are pulled by speaker, number, time and words, also those outside the window", async () => {
    const model = scriptedModel([
      ...Array(6).fill(finish("mm")),
      callTool("pull_messages", { speaker: "User", number: 2, skip: 1 }),
      callTool("pull_messages", { from: "20260105", to: "2026-01-06", containing: "NUMBER 1" }),
      callTool("pull_messages", { from: "soon" }),
      callTool("pull_messages", { from: "20260107", to: "20260106" }),
      callTool("pull_messages", { from: "20260214-20260208" }),
      finish("ok"),
    ])
    const rehearsal = rehearse({ model, profile: { history: { contextCount: 2, window: "slide" } } })
    for (let turn = 0; turn < 6; turn++) {
      await rehearsal.say(`number ${turn}`)
      rehearsal.clock.advance(dayMs)
    }
    const { trace } = await rehearsal.say("what did I say?")
    expect(trace.runs.map(({ result }) => result)).toEqual([
      "20260108 9:00 User: number 3\n20260109 9:00 User: number 4",
      "20260106 9:00 User: number 1",
      expect.stringContaining("soon is not a time"),
      expect.stringContaining("20260107 - 20260106 ends before it begins"),
      expect.stringContaining("20260214-20260208 is not a time"),
    ])
  })

  test("R20, R21: events are recorded and found; what is found is remembered longer", async () => {
    const model = scriptedModel([
      callTool("record_event", { text: "We baked bread", importance: 8, when: "20260101" }),
      finish("ok"),
      ...Array(8).fill(finish("mm")),
      callTool("search_events", { query: "bread" }),
      callTool("search_events", { query: "submarine" }),
      finish("ok"),
    ])
    const rehearsal = rehearse({ model })
    await rehearsal.say("we baked")
    for (let turn = 0; turn < 8; turn++) await rehearsal.say("hm")
    const { trace } = await rehearsal.say("what did we bake?")
    expect(trace.runs.map(({ result }) => result)).toEqual(["20260101 0:00 We baked bread", "No event fits."])
    const [event] = (await rehearsal.state()).events
    expect([event?.importance, event?.recalled.turn, (event?.stability ?? 0) > 1]).toEqual([8, 9, true])
  })

  test("R13: as few messages are pulled as are asked for, and at least one", async () => {
    const pulls = [1, 0].map((number) => callTool("pull_messages", { speaker: "User", number, skip: 1 }))
    const model = scriptedModel([finish("mm"), finish("mm"), finish("mm"), ...pulls, finish("ok")])
    const rehearsal = rehearse({ model })
    for (const text of ["one", "two", "three"]) await rehearsal.say(text)
    const { trace } = await rehearsal.say("what did I say?")
    expect(trace.runs.map(({ result }) => result.match(/one|two|three/g))).toEqual([["two"], ["two"]])
  })

  test("R20: of events that fit a search alike, the one that matters most is found", async () => {
    const record = (who: string, importance: number) =>
      callTool("record_event", { text: `${who} baked bread`, importance, when: "20260101" })
    const search = callTool("search_events", { query: "bread", number: 1 })
    const model = scriptedModel([record("Ann", 2), record("Bob", 9), record("Cleo", 1), search, finish("ok")])
    const { trace } = await rehearse({ model }).say("who baked?")
    expect(trace.runs.at(-1)?.result).toBe("20260101 0:00 Bob baked bread")
  })

  test("R15: what was pulled keeps its words and its kind when it is put into the workspace", async () => {
    const model = scriptedModel([callTool("put_into_workspace", { id: "b" }), finish("ok")])
    const rehearsal = rehearse({ model })
    const pulled = ["a", "b"].map((id) => ({ type: "pulled" as const, item: { id, kind: "file" as const, text: `about ${id}` } }))
    await rehearsal.store.post(rehearsal.session.key, virtualContextNote("n", pulled))
    await rehearsal.say("keep b")
    const { workspace, pulled: left } = await rehearsal.state()
    expect(workspace).toMatchObject([{ id: "b", kind: "file", text: "about b" }])
    expect(left.map(({ id }) => id)).toEqual(["a"])
  })

  test("R23, R28: a piece of information is compressed in place, a file is not", async () => {
    const text = Array.from({ length: 20 }, (_, at) => `line ${at} of it`).join("\n")
    const model = scriptedModel([
      callTool("put_into_workspace", { id: "notes", kind: "reference", text }),
      callTool("compress", { id: "notes", level: "extreme" }),
      callTool("compress", { id: "nowhere" }),
      callTool("compress", { id: "notes", level: "strong" }),
      finish("ok"),
    ])
    const rehearsal = rehearse({ model })
    const { trace } = await rehearsal.say("keep it short")
    expect(trace.runs.map(({ status }) => status)).toEqual(["ok", "ok", "failed", "failed"])
    expect((await rehearsal.state()).workspace[0]?.text).toMatch(
      /^reference_info: \{source: \["unknown source","compress extreme about '' 最近 2 - notes\.session message 1 - 20"\], current: "line 18 of it\\nline 19 of it", extra_data: ""\}$/,
    )
  })

  test("R23, R28: arguments that mean nothing are refused with what is known", async () => {
    const model = scriptedModel([
      callTool("put_into_workspace", { id: "notes", kind: "reference", text: "one\ntwo\nthree" }),
      callTool("compress", { id: "notes", criterion: "finest" }),
      callTool("compress", { id: "notes", weights: "0.3 0.4" }),
      callTool("compress", { id: "notes", weights: "0.3, 0.4, x" }),
      callTool("compress", { id: "notes", weights: "0.3 0.4 0.3 1" }),
      callTool("compress", { id: "notes", weights: "0.3, 0.4 0.3", count: 1 }),
      finish("ok"),
    ])
    const rehearsal = rehearse({ model, profile: { locale: "en" } })
    const { trace } = await rehearsal.say("keep it short")
    const [, ...runs] = trace.runs.map(({ status, result }) => `${status}: ${result}`)
    expect(runs[0]).toContain("finest is no criterion. Known: best-match, worst-match")
    for (const refused of runs.slice(1, 4)) expect(refused).toMatch(/^failed: .*is not three numbers/s)
    expect(runs[4]).toMatch(/^ok: notes is shorter now/)
  })

  test("R20: an event in the future is refused, one of now is not", async () => {
    const events = [{ text: "a trip", when: "2999-01-01 10:00" }, { text: "a cold" }]
    const model = scriptedModel([...events.map((event) => callTool("record_event", event)), finish("ok")])
    const { trace } = await rehearse({ model, profile: { locale: "en" } }).say("I have a cold")
    expect(trace.runs.map(({ status }) => status)).toEqual(["failed", "ok"])
    expect(trace.runs[0]?.result).toContain("that time has not come yet")
  })

  test("R22: what is cleared away is named, and so is what is not in the list", async () => {
    const model = scriptedModel([
      callTool("discard_pulled", { ids: ["a.txt", "%[none.txt]"] }),
      callTool("discard_pulled", {}),
      callTool("discard_pulled", { ids: ["a.txt"] }),
      finish("ok"),
    ])
    const rehearsal = rehearse({ model, profile: { locale: "en" } })
    const pulled = ["a.txt", "b.txt", "c.txt"].map((id) => ({
      type: "pulled" as const,
      item: { id, kind: "file" as const, text: `about ${id}` },
    }))
    await rehearsal.store.post(rehearsal.session.key, virtualContextNote("n", pulled))
    const { trace } = await rehearsal.say("tidy up")
    expect(trace.runs.map(({ result }) => result)).toEqual([
      "Cleared away: a.txt\nNot in the list: none.txt",
      "Cleared away: b.txt, c.txt",
      "Nothing was cleared away.\nNot in the list: a.txt",
    ])
    expect((await rehearsal.state()).pulled).toEqual([])
  })

  test("R28: memories are searched where there are some, and the tool is not there where there are none", async () => {
    const recall = async (query: string) => [{ id: "m", text: `about ${query}` }]
    const model = () => scriptedModel([callTool("search_memories", { query: "bread" }), finish("ok")])
    const [knowing, blank] = [rehearse({ model: model(), memory: { recall } }), rehearse({ model: model() })]
    expect((await knowing.say("?")).trace.runs[0]?.result).toBe("- about bread")
    expect((await blank.say("?")).trace.runs[0]?.failure).toBe("unknown-tool")
  })
})

describe("what notes bring", () => {
  test("R22, R26: information that an observer pulls is whole in one turn and a line in the next; it can collect too", async () => {
    const rehearsal = rehearse({ model: scriptedModel([finish("1"), finish("2"), finish("3")]), profile: { dialect: "root" } })
    const item = { id: "a.txt", kind: "file", text: "about a" } as const
    await rehearsal.store.post(rehearsal.session.key, virtualContextNote("n1", [{ type: "pulled", item, content: "all of a" }]))
    expect(await system(rehearsal)).toContain("%[a.txt] - about a\nall of a".replace("\nall", "\n  all"))
    await rehearsal.say("hi")
    expect(await system(rehearsal)).toContain("%[a.txt] - about a")
    expect(await system(rehearsal)).not.toContain("all of a")
    await rehearsal.store.post(
      rehearsal.session.key,
      virtualContextNote("n2", [{ type: "collect", area: "pulled", ids: ["a.txt"] }]),
    )
    await rehearsal.say("hi")
    expect((await rehearsal.state()).pulled).toEqual([])
  })

  test("R12: the first short form of an answer stands; a later one would move what prompts have shown", async () => {
    const rehearsal = rehearse({ model: scriptedModel([finish("a"), finish("b"), finish("c")]) })
    await rehearsal.say("one")
    for (const text of ["first", "second"]) {
      const note = virtualContextNote(text, [{ type: "compressed", turnId: "turn-1", text }])
      await rehearsal.store.post(rehearsal.session.key, note)
      await rehearsal.say("go on")
    }
    expect((await rehearsal.state()).compressed.map(({ text }) => text)).toEqual(["first"])
  })

  test("what is no change is passed over", async () => {
    const rehearsal = rehearse({ model: scriptedModel([finish("1")]) })
    await rehearsal.store.post(rehearsal.session.key, {
      id: "odd",
      owner: "virtual-context",
      payload: { changes: [{ type: "dance" }] },
    })
    expect((await rehearsal.say("hi")).trace.warnings).toEqual([])
  })
})

describe("the state", () => {
  test("R15, R20: comes back from the store exactly: an agent made anew shows the same bytes", async () => {
    const store = createIdleStore()
    const first = rehearse({ model: scriptedModel([put, finish("Put."), finish("ok")]), store, profile: { dialect: "root" } })
    await first.say("keep it")
    first.clock.advance(dayMs)
    await first.say("next day")
    const again = rehearse({ model: scriptedModel([]), store, profile: { dialect: "root" }, startMs: first.clock.nowMs() })
    expect((await again.session.preview("hm")).messages).toEqual((await first.session.preview("hm")).messages)
  })

  test("an aborted turn leaves it as it was, and with memory off nothing is shown or changed (D2)", async () => {
    const rehearsal = rehearse({ model: scriptedModel([put, finish("Put."), put, finish("no")]), profile: { dialect: "root" } })
    await rehearsal.say("keep it")
    const before = await rehearsal.state()
    const turn = rehearsal.session.send("abort me")
    turn.abort()
    await turn.result
    expect(await rehearsal.state()).toEqual(before)
    await rehearsal.session.setMemory(false)
    expect(await system(rehearsal)).not.toContain("notes/plan.md")
    expect(await system(rehearsal)).not.toContain("report_use")
  })
})

test("S18 what is known of an event's text is made once, and again once a store of the process forgot something", async () => {
  const text = "Ann bought a green bicycle"
  const rehearsal = rehearse({ model: scriptedModel([callTool("record_event", { text }), finish("Nice.")]) })
  await rehearsal.say("I bought a bicycle")
  expect((await rehearsal.state()).events).toMatchObject([{ text }])
  const read = vi.spyOn(String.prototype, "toLowerCase")
  const reads = async (): Promise<number> => {
    read.mockClear()
    await rehearsal.session.preview("Which bicycle?")
    return read.mock.contexts.filter((of) => String(of) === text).length
  }
  try {
    await reads()
    expect(await reads()).toBe(0)
    await createInMemoryStore().forget({ agent: "other", user: "somebody" })
    expect(await reads()).toBe(1)
  } finally {
    read.mockRestore()
  }
})
