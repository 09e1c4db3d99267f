import fc from "fast-check"
import { afterEach, describe, expect, test } from "vitest"
import type { FileAttachment } from "../../../src/core/conversation.ts"
import type { FileReferences, OpenedFile } from "../../../src/memory/services/file-references.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { formatFileReference } from "../../../src/prompt/encode/file-reference.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import type { TurnEvent } from "../../../src/trace/turn-event.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"
import { runs } from "../../support/size.ts"

afterEach(expectScriptsDone)

const attachment = (path: string): FileAttachment => ({ path, mediaType: "text/plain", bytes: 1, base64: "YQ==" })

/** Opens what ends in `.txt`, each once the test says so where it waits. */
function opening(answer: (path: string) => OpenedFile | Promise<OpenedFile>): FileReferences {
  return { formats: ["txt"], open: async ({ path }) => answer(path) }
}

const known = opening((path) =>
  path.endsWith(".txt") ? { ok: true, attachment: attachment(path) } : { ok: false, fault: "missing" },
)

const root: ProfileInput = { dialect: "root", timeZone: "UTC", output: { bubbles: true, files: known } }

/** What a bot would show, in order: words, files in brackets, a bar after each bubble. */
function shown(events: readonly TurnEvent[]): string {
  return events
    .map((event) => {
      if (event.type === "text-delta") return event.delta
      if (event.type === "attachment") return `[${event.attachment.path}]`
      return event.type === "bubble" ? "|" : ""
    })
    .join("")
}

describe("R8: files that an answer shows", () => {
  test("are attachments that follow the bubble they stand in, and in the result; history keeps what was written", async () => {
    const raw = "看 %[a.txt] Line 1 ~ Line 2\n@br\n还有 %[b.txt]。"
    const model = scriptedModel([finish(raw), finish("好")])
    const { session } = testAgent(model, root)
    const turn = session.send("？")
    expect(shown(await collect(turn))).toBe("看 |[a.txt]\n\n还有 。|[b.txt]")
    expect(await turn.result).toMatchObject({
      ok: true,
      text: "看 \n\n还有 。",
      attachments: [attachment("a.txt"), attachment("b.txt")],
    })
    await session.send("再说一次").result
    expect(model.requests[1]?.messages[2]).toEqual({ role: "assistant", content: `20260102 3:04 ${raw}` })
  })

  test.each([true, false])("a bubble comes before the files that it introduces, with marks for bubbles: %s", async (bubbles) => {
    const { session } = testAgent(scriptedModel([finish("%[a.txt]\n@br\n看 %[b.txt]%[c.txt]")]), {
      ...root,
      output: { bubbles, files: known },
    })
    const kinds = (await collect(session.send("？"))).flatMap((event) =>
      event.type === "bubble" ? [event.text] : event.type === "attachment" ? [event.attachment.path] : [],
    )
    expect(kinds).toEqual(bubbles ? ["a.txt", "看 ", "b.txt", "c.txt"] : ["\n@br\n看 ", "a.txt", "b.txt", "c.txt"])
  })

  test("a file that cannot be opened stays as it was written, and the next turn is told, once", async () => {
    const model = scriptedModel([finish("看 %[x.exe] Line 1 ~ Line 2 吧"), finish("哦"), finish("嗯")])
    const { session } = testAgent(model, root)
    const result = await session.send("一").result
    expect(result).toMatchObject({ ok: true, text: "看 %[x.exe] Line 1 ~ Line 2 吧" })
    expect(result).not.toHaveProperty("attachments")
    expect(result.trace.warnings).toEqual([
      { kind: "file", message: "The answer shows %[x.exe] Line 1 ~ Line 2, which was not opened: missing." },
    ])
    await session.send("二").result
    await session.send("三").result
    const told = model.requests.map(({ messages }) => messages.at(-1)?.content.includes("没有这个文件"))
    expect(told).toEqual([false, true, false])
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('"%[x.exe] Line 1 ~ Line 2" 是你上次写的，没有打开')
  })

  test.each([
    null,
    undefined,
    5,
    {},
    { ok: true },
    { ok: true, attachment: null },
    { ok: true, attachment: "a" },
    { ok: false },
    { ok: false, fault: 1 },
  ])("an `open` of code without types that answers %j has opened nothing", async (answer) => {
    const { session } = testAgent(scriptedModel([finish("看 %[a.txt]")]), {
      ...root,
      output: { files: opening(() => answer as never) },
    })
    const result = await session.send("一").result
    expect(result).toMatchObject({ ok: true, text: "看 %[a.txt]" })
    const message: unknown = expect.stringMatching(/ %\[a\.txt\].*: failed\.$/)
    expect(result.trace.warnings).toEqual([{ kind: "file", message }])
  })

  test("a turn that fails has told nothing: the next one is told again", async () => {
    const failing = () => {
      throw new Error("down")
    }
    const model = scriptedModel([finish("%[x.exe]"), failing, finish("哦")])
    const { session } = testAgent(model, root)
    await session.send("一").result
    expect(await session.send("二").result).toMatchObject({ ok: false })
    await session.send("三").result
    expect(model.requests[2]?.messages.at(-1)?.content).toContain("没有这个文件")
  })

  test("what stands behind a file waits for it, and nothing else does", async () => {
    let arrive: (opened: OpenedFile) => void = () => undefined
    const files = opening(() => new Promise((resolve) => (arrive = resolve)))
    const model = scriptedModel([finish("一 %[a.txt] 二")])
    const { session } = testAgent(model, { ...root, output: { files } })
    const turn = session.send("？")
    const events: TurnEvent[] = []
    for await (const event of turn) {
      events.push(event)
      if (event.type === "step-end") {
        expect(shown(events)).toBe("一 ")
        arrive({ ok: true, attachment: attachment("a.txt") })
      }
    }
    expect(shown(events)).toBe("一  二|[a.txt]")
  })

  test("one that hangs is given up after the time of a tool run", async () => {
    const files = opening(() => new Promise(() => undefined))
    const { session, timers } = testAgent(scriptedModel([finish("%[a.txt]!")]), { ...root, output: { files } })
    const turn = session.send("？")
    for await (const event of turn) if (event.type === "step-end") timers.advance(30_000)
    expect(await turn.result).toMatchObject({ ok: true, text: "%[a.txt]!" })
  })

  test("an aborted turn waits for none", async () => {
    const files = opening(() => new Promise(() => undefined))
    const { session } = testAgent(scriptedModel([finish("一 %[a.txt] 二")]), { ...root, output: { files } })
    const turn = session.send("？")
    const events: TurnEvent[] = []
    for await (const event of turn) {
      events.push(event)
      if (event.type === "step-end") turn.abort()
    }
    expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    expect(shown(events)).toBe("一 %[a.txt] 二")
  })

  test("a turn that fails right behind a file shows its words, and tells nothing after its end", async () => {
    const files = opening(async () => ({ ok: true, attachment: attachment("a.txt") }))
    const broken = ['{"action":"finish","message":"一 %[a.txt]', new Error("the connection broke")]
    const { session } = testAgent(scriptedModel([broken]), { ...root, output: { files } })
    const events: TurnEvent[] = []
    const turn = session.send("？")
    for await (const event of turn) events.push(event)
    expect(await turn.result).toMatchObject({ ok: false, gathered: { text: "一 %[a.txt]" } })
    for (let round = 0; round < 10; round++) await Promise.resolve()
    expect(shown(events)).toBe("一 %[a.txt]")
    expect(events.at(-1)?.type).toBe("turn-end")
  })

  test.each([
    ["throws", () => Promise.reject(new Error("no"))],
    ["hands over nothing", () => undefined],
    ["hands over no attachment", () => ({ ok: true })],
  ])("an opener that %s loses no word", async (_name, open) => {
    const files = { formats: [], open: open as never }
    const { session } = testAgent(scriptedModel([finish("一 %[a.txt] 二")]), { ...root, output: { files } })
    expect(await session.send("？").result).toMatchObject({ ok: true, text: "一 %[a.txt] 二" })
  })

  test("without file references in the profile the same words are words", async () => {
    const { session } = testAgent(scriptedModel([finish("%[a.txt]")]), { ...root, output: {} })
    expect(await session.send("？").result).toMatchObject({ ok: true, text: "%[a.txt]" })
  })

  test("thinking and calls show no file; what is said beside native calls does", async () => {
    const model = scriptedModel([`<think>%[t.txt]</think>${callTool("look", { path: "%[c.txt]" })}`, finish("%[a.txt]")])
    const tool = { name: "look", description: "Look", execute: () => "%[r.txt]" }
    const { session } = testAgent(model, root, {
      tools: [(await import("../../../src/prompt/tools/define-tool.ts")).defineTool(tool)],
    })
    const result = await session.send("？").result
    expect(result).toMatchObject({ ok: true, attachments: [attachment("a.txt")] })
  })

  test("whatever is written and however long each file takes, order and words are kept", async () => {
    const piece = fc.constantFrom("a", " ", "@br", "%[", "]", "%[a.txt]", "%[b.exe]", " Line 1 ~ Line 2", "\n")
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 10 }), fc.array(fc.nat(3)), async (pieces, delays) => {
        const raw = `x${pieces.join("")}`
        let opened = 0
        const slow = opening(async (path) => {
          for (let left = delays[opened++ % (delays.length || 1)] ?? 0; left > 0; left--) await undefined
          return path.endsWith(".txt") ? { ok: true, attachment: attachment(path) } : { ok: false, fault: "missing" }
        })
        const answers = [known, slow].map(async (files) => {
          const { session } = testAgent(scriptedModel([[...raw]]), {
            ...root,
            loop: { mode: "chat" },
            output: { bubbles: true, files },
          })
          const turn = session.send("？")
          return [shown(await collect(turn)), await collect(turn.bubbles)]
        })
        const [quick, late] = await Promise.all(answers)
        expect(late).toEqual(quick)
      }),
      { numRuns: runs(60) },
    )
  })
})

describe("R8: files that a user sends", () => {
  test("stand under the words as %[path], now and in history, in every dialect; other words do not pass for one", async () => {
    for (const dialect of ["root", "layered", "fay", "stack", "stack-cached", "soul"]) {
      const model = scriptedModel([finish("好"), finish("好")])
      const { session } = testAgent(model, { dialect })
      const files = ["C:/example.txt", "a]b\n.txt"]
      await session.send("看看", { attachments: files.map((path) => ({ path })) }).result
      await session.send("再看看").result
      const mark = ["%[C:/example.txt]", String.raw`%[a\]b\u{a}.txt]`]
      expect(mark).toEqual(files.map((path) => formatFileReference({ path })))
      for (const request of model.requests)
        expect(JSON.stringify(request.messages)).toContain(JSON.stringify(mark.join("\n")).slice(1, -1))
    }
  })

  test("a preview shows them too", async () => {
    const { session } = testAgent(scriptedModel([]), root)
    const { messages } = await session.preview("看", { attachments: [{ path: "a.txt" }] })
    expect(messages.at(-1)?.content).toBe("^主人:20260102 3:04 看\n%[a.txt]")
  })
})
