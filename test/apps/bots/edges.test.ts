import fc from "fast-check"
import { expect, test } from "vitest"
import { type BotChat, deliverTurn, keepTyping } from "../../../src/apps/bots/deliver-turn.ts"
import { fittingEnd, type MessageUnit, messageSize } from "../../../src/apps/bots/message-size.ts"
import { sendPatiently } from "../../../src/apps/bots/send-patiently.ts"
import { type Fence, fenceAfter, splitMessage } from "../../../src/apps/bots/split-message.ts"
import { type FetchAttachmentOptions, fetchAttachment } from "../../../src/apps/bots/take-message.ts"
import { manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { endings } from "../../support/endings.ts"
import { runs, seedOf } from "../../support/size.ts"
import { takeMessage } from "../../support/take-message.ts"

const texts = fc
  .array(fc.constantFrom("a", "\u007f", "\u0080", "\u07ff", "\u0800", "\uffff", "𐀀", "😀", "\ud800", "é", "好"), {
    maxLength: 20,
  })
  .map((parts) => parts.join(""))
const units = fc.constantFrom<MessageUnit>("utf16", "code-points", "bytes")

/** The size of a text, counted by others. */
function naiveSize(text: string, unit: MessageUnit): number {
  if (unit === "utf16") return text.length
  return unit === "bytes" ? Buffer.byteLength(text) : [...text].length
}

test("a text has the size that others count, and its longest beginning that fits cuts no pair", () => {
  fc.assert(
    fc.property(texts, units, fc.nat(30), (text, unit, room) => {
      expect(messageSize(text, unit)).toBe(naiveSize(text, unit))
      const ends = Array.from({ length: text.length + 1 }, (_, at) => at)
      const isWhole = (at: number) => at === 0 || (text.codePointAt(at - 1) ?? 0) <= 0xffff
      const longest = ends.findLast((at) => isWhole(at) && naiveSize(text.slice(0, at), unit) <= room)
      expect(fittingEnd(text, room, unit)).toBe(longest)
      expect(fittingEnd(text, -1, unit)).toBe(0)
    }),
    { numRuns: runs(1_000), seed: seedOf(91) },
  )
})

test("a fence opens and closes as Markdown says", () => {
  const lines = [
    "```",
    "~~~",
    "   ```js  ",
    "    ```",
    "``",
    "````",
    "``` a ` b",
    "~~~ a ` b",
    "```x",
    "~~~~ ",
    "`".repeat(24),
    "`".repeat(25),
    `\`\`\`${"x".repeat(21)}`,
    `\`\`\`${"x".repeat(22)}`,
  ]
  const open: Fence = { opener: "```js", closer: "```" }
  const shown = lines.flatMap((line) =>
    [undefined, open].map(
      (before) =>
        `${JSON.stringify(line)} ${before ? "inside" : "outside"}: ${JSON.stringify(fenceAfter(line, before)) ?? "closed"}`,
    ),
  )
  expect(shown.join("\n")).toMatchSnapshot()
})

test("a message ends where its first third is over, and not before", () => {
  // The last place to end lies at, and one unit before, a third of the room.
  const splits = [20, 21, 22].flatMap((at) =>
    ["\n\n", "\n", ". ", " "].map((end) => {
      const [head = "", tail = ""] = splitMessage(`${"a".repeat(at)}${end}${"b".repeat(80)}`, { limit: 64 })
      return `${at}${JSON.stringify(end)}: ${head.length} + ${tail.length}`
    }),
  )
  const code = ["```js", ...Array.from({ length: 12 }, (_, at) => `line ${at};`), "```"].join("\n")
  const shapes = {
    "a fence that begins near the end": `${"word ".repeat(10)}\n${code}`,
    "a fence that ends near the end": `${code}\n${"word ".repeat(20)}`,
    "blank lines around": `\n \n${"a".repeat(63)}\n\n\n  ${"b".repeat(63)}\n`,
    "indentation after a cut": `${"a".repeat(60)}\n    four\n${"b".repeat(40)}`,
    "exactly as long as may be": "x".repeat(64),
    "one line in a fence": `\`\`\`\n${"y".repeat(100)}\n\`\`\``,
    CRLF: `${"a".repeat(50)}\r\n\r\n${"b".repeat(50)}`,
  }
  const cut = Object.entries(shapes).map(([name, text]) => `## ${name}\n${splitMessage(text, { limit: 64 }).join("\n-----\n")}`)
  expect([...splits, ...cut].join("\n")).toMatchSnapshot()
})

test("an error of what a bot is given says what was expected", async () => {
  const answering = (body: string | Uint8Array, init: ResponseInit = {}): FetchAttachmentOptions => ({
    fetch: async () => new Response(body as string, init),
  })
  const url = "https://platform.test/bot:secret/a%20b.jpg?key=1"
  const named =
    (given: FetchAttachmentOptions, of = url) =>
    async () => {
      const { bytes, ...look } = (await fetchAttachment(of, given)) as { bytes: Uint8Array }
      return { ...look, bytes: bytes.length }
    }
  const type = (name: string) => ({ headers: { "content-type": name } })
  const tasks = {
    "a file": named(answering("abc", type("image/jpeg; x=1"))),
    "a file of no kind": named(answering("abc", type("application/octet-stream; x=1"))),
    "a file of an address without a path": named(answering("abc"), "https://platform.test"),
    "a file of no address": named(answering("abc"), "not an address"),
    "a file with a name and a kind": named({ ...answering("abc", type("image/jpeg")), name: "cat", mediaType: "image/png" }),
    "as many bytes as may be": named({ ...answering("abc"), maxBytes: 3 }),
    "a byte more": named({ ...answering("abcd"), maxBytes: 3 }),
    "a byte more that is told before": named({ ...answering("abcd", { headers: { "content-length": "4" } }), maxBytes: 3 }),
    "as many bytes as may be, told before": named({ ...answering("abc", { headers: { "content-length": "3" } }), maxBytes: 3 }),
    "a file of 20 million bytes": named(answering("", { headers: { "content-length": "20000000" } })),
    "a larger file": named(answering("", { headers: { "content-length": "20000001" } })),
    "a file that is gone": named(answering("", { status: 404 })),
    "a connection that fails": named({ fetch: () => Promise.reject(new Error("ECONNREFUSED")) }),
    "a download that is ended": named({ fetch: () => Promise.reject(new Error("x")), signal: AbortSignal.abort() }),
    "an unknown option of it": () => fetchAttachment(url, { maxByte: 1 } as object),
    "a limit of 63": () => splitMessage("x", { limit: 63 }),
    "a limit of 64": () => splitMessage("x", { limit: 64 }),
    "a limit that is no whole number": () => splitMessage("x", { limit: 64.5 }),
    "an unknown option of a message": () => takeMessage({} as never, { id: "1", txt: "" } as never, {} as never),
    "an unknown option of a chat": () => deliverTurn({} as never, { limit: 64, send: () => 0 } as never),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/mistakes.txt")
})

/** Sends with errors that ask to wait, and tells the waits. */
async function patience(options: object, waits: readonly (number | undefined)[]) {
  const timers = manualTimers(manualClock(0))
  const left = [...waits]
  let tries = 0
  const sent = sendPatiently(
    () => {
      tries++
      if (left.length > 0) throw Object.assign(new Error("wait"), { parameters: { retry_after: left.shift() } })
      return "sent"
    },
    { timers, ...options },
  ).catch((error: Error) => error.message)
  for (let round = 0; round < 50; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    timers.advance(60_000)
  }
  return `${await sent} after ${tries}`
}

test("a message is sent five times at most, and only where the wait is not longer than a minute", async () => {
  expect(await patience({}, [1, 1, 1, 1])).toBe("sent after 5")
  expect(await patience({}, [1, 1, 1, 1, 1])).toBe("wait after 5")
  expect(await patience({ attempts: 1 }, [1])).toBe("wait after 1")
  expect(await patience({}, [60])).toBe("sent after 2")
  expect(await patience({}, [60.001])).toBe("wait after 1")
  expect(await patience({ longestWaitMs: 500 }, [0.5])).toBe("sent after 2")
  expect(await patience({ longestWaitMs: 499 }, [0.5])).toBe("wait after 1")
  expect(await patience({}, [0])).toBe("sent after 2")
  expect(await patience({ retryAfterMs: () => Number.NaN }, [1])).toBe("wait after 1")
  expect(await patience({ retryAfterMs: () => 5 }, [undefined])).toBe("sent after 2")
})

test("typing is shown each four seconds, one call at a time, until it is stopped for good", async () => {
  const timers = manualTimers(manualClock(0))
  const gates: PromiseWithResolvers<void>[] = []
  const show = () => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    return gate.promise
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const stop = keepTyping(show, { timers })
  timers.advance(60_000)
  expect([gates.length, timers.pending]).toEqual([1, 0])
  gates[0]?.resolve()
  await settle()
  timers.advance(3_999)
  expect(gates).toHaveLength(1)
  timers.advance(1)
  expect(gates).toHaveLength(2)
  // It is stopped while a call is under way: none follows.
  stop()
  gates[1]?.reject(new Error("no rights"))
  await settle()
  expect([gates.length, timers.pending]).toEqual([2, 0])
  const waiting = keepTyping(() => undefined, { timers, everyMs: 10 })
  await settle()
  expect(timers.pending).toBe(1)
  waiting()
  expect(timers.pending).toBe(0)
})

test("a file of an answer is sent where the chat can, and named where it cannot; a chat's own settings reach each message", async () => {
  const file = { path: "cat.png", mediaType: "image/png", bytes: 1, base64: "AA==" }
  const events = [
    { type: "turn-start" },
    { type: "bubble", text: "Here it is." },
    { type: "attachment", attachment: file },
    { type: "bubble", text: "好".repeat(30) },
    { type: "bubble", text: " " },
  ]
  const told = async function* () {
    yield* events
  }
  const turn = { [Symbol.asyncIterator]: told, result: Promise.resolve({ ok: true }) } as never
  const sent: unknown[] = []
  const chat: BotChat = { limit: 64, unit: "bytes", sendText: (text) => void sent.push(text) }
  await deliverTurn(turn, chat)
  expect(sent).toEqual(["Here it is.", "cat.png", "好".repeat(21), "好".repeat(9)])
  sent.length = 0
  await deliverTurn(turn, { ...chat, unit: "utf16", sendFile: (each) => void sent.push(each) })
  expect(sent).toEqual(["Here it is.", file, "好".repeat(30)])
  const { session } = testAgent(scriptedModel([finish("Hi.")]), { memory: { enabled: false } })
  const message = { id: "1", text: "hello", from: { id: "ann" } }
  expect(await takeMessage(session, message, { ...chat, sendText: () => undefined })).toMatchObject({ ok: true, text: "Hi." })
})
