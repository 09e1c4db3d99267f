import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import type { ModelPart, ModelRequest } from "../../src/core/model/language-model.ts"
import { manualClock, manualTimers } from "../../src/testing/index.ts"
import { type ConformanceCheck, modelConformance } from "../support/conformance/model-conformance.ts"
import { type Flaws, playBroken } from "./broken-models.ts"

const isRetryable = (value: boolean | undefined) => (error: PromptStrataError) =>
  error.code === "model"
    ? new PromptStrataError("model", error.message, { evidence: { ...error.evidence, isRetryable: value } })
    : error
const withText = (change: (delta: string) => string) => (part: ModelPart) =>
  part.type === "text-delta" ? [{ ...part, delta: change(part.delta) }] : [part]

/** Holds files back until the finish. */
function reordered(): (part: ModelPart) => readonly ModelPart[] {
  let held: ModelPart[] = []
  return (part) => {
    if (part.type === "file") held.push(part)
    if (part.type !== "finish") return part.type === "file" ? [] : [part]
    const files = held
    held = []
    return [...files, part]
  }
}

/** Flaws, each with the check that must find it. */
const broken: readonly [flaw: string, flaws: Flaws, found: string][] = [
  ["trims its text", { parts: withText((delta) => delta.trim()) }, "text arrives whole, in order and unaltered"],
  ["tells everything at the end", { late: true }, "text arrives as it comes, not at the end"],
  [
    "leaves the last message out",
    { send: ({ messages }) => messages.slice(0, -1) },
    "every message's words reach the provider, whatever their role",
  ],
  ["passes half a character on", { rawText: true }, "no part ever holds half a character"],
  [
    "takes thoughts for words",
    { parts: (part) => [part.type === "thinking-delta" ? { ...part, type: "text-delta" } : part] },
    "thinking arrives as thinking, in its place before the text",
  ],
  [
    "has one reason for every finish",
    { parts: (part) => [part.type === "finish" ? { type: "finish", reason: "stop" } : part] },
    "an answer has one finish, its last part, with the reason",
  ],
  ["has no finish", { noFinish: true }, "an answer has one finish, its last part, with the reason"],
  ["passes every finish on", { rawFinish: true }, "whatever comes after the finish, there is one finish and it is the last part"],
  ["falls over an empty stream", { emptyThrows: true }, "an empty stream is an empty answer or a typed error"],
  [
    "loses a call's id",
    { parts: (part) => [part.type === "tool-call" ? { ...part, call: { ...part.call, id: "" } } : part] },
    "tool calls arrive whole and in order, with id, name and JSON arguments",
  ],
  [
    "hands arguments over as an object",
    { parts: (part) => [part.type === "tool-call" ? { ...part, call: { ...part.call, args: {} as string } } : part] },
    "tool calls arrive whole and in order, with id, name and JSON arguments",
  ],
  ["leaves arguments blank", { blankArguments: true }, "a tool call without arguments has an empty object as arguments"],
  ["yields calls that break off", { brokenCalls: true }, "a tool call that breaks off is never yielded"],
  [
    "shows files behind the words",
    { parts: reordered() },
    "a file that the model makes arrives whole and unaltered, in its place between the words",
  ],
  ["leaves files out", { parts: (part) => (part.type === "file" ? [] : [part]) }, "an answer that is only a file is an answer"],
  [
    "tells usage twice",
    { parts: (part) => (part.type === "usage" ? [part, part] : [part]) },
    "the tokens that the provider reports arrive once",
  ],
  ["makes zero of what is absent", { zeroUsage: true }, "zero tokens are zero, and what the provider does not say is absent"],
  ["retries everything", { thrown: isRetryable(true) }, "a refused key is a failure that no retry mends"],
  ["retries everything, unknown models too", { thrown: isRetryable(true) }, "an unknown model is a failure that no retry mends"],
  ["retries everything, bad requests too", { thrown: isRetryable(true) }, "a request at fault is a failure that no retry mends"],
  ["retries nothing", { thrown: isRetryable(false) }, "a server's own fault is a failure that a retry may mend"],
  [
    "forgets how long to wait",
    {
      thrown: (error) =>
        error.code === "model"
          ? new PromptStrataError("model", "x", { evidence: { isRetryable: error.evidence.isRetryable } })
          : error,
    },
    "too many requests are a failure that a retry may mend, with the wait the provider asks for",
  ],
  [
    "keeps the request as the error's cause, headers and all",
    {
      thrown: ({ code, message, evidence }, { secret }) =>
        new PromptStrataError(code, message, {
          evidence,
          cause: { headers: new Headers({ authorization: `Bearer ${secret}` }) },
        }),
    },
    "no error repeats the key",
  ],
  ["says it is the answer", { statusIsText: true }, "a server's own fault is a failure that a retry may mend"],
  ["takes a cut for the end", { cutIsEnd: true }, "a connection cut before the first part is a failure that a retry may mend"],
  [
    "takes a cut in mid-message for the end",
    { cutIsEnd: true },
    "a connection cut in mid-message is a failure that a retry may mend, never a finished answer",
  ],
  ["dies of a status", { diesOfFailure: true }, "after an error status the next request is answered"],
  ["dies of a cut", { diesOfFailure: true }, "after a cut connection the next request is answered"],
  ["dies of an abort", { diesOfFailure: true }, "after an abort the next request is answered"],
  ["asks although its signal is aborted", { deafBeforeStart: true }, "a signal that is aborted already asks nothing"],
  ["answers although its signal was aborted", { deaf: true }, "an abort as the request goes out ends it as aborted"],
  [
    "cannot be stopped before the first part",
    { deafAtFirst: true },
    "an abort while the first part is awaited ends the request at once",
  ],
  ["minds no signal", { deaf: true }, "an abort in mid-message ends the request at once, and nothing comes after it"],
  ["never lets go", { neverReturns: true }, "leaving the stream early ends it"],
  ["has one buffer for all streams", { sharedText: true }, "two streams read in turns do not mix"],
  ["has one abort for all streams", { sharedAbort: true }, "aborting one stream does not disturb another"],
  ["has no name", { id: "" }, "a model has an id and says what it can take"],
  [
    "keeps only the last system message",
    { send: ({ messages }) => messages.filter(({ role }, at) => role !== "system" || messages[at + 1]?.role !== "system") },
    "every message's words reach the provider, whatever their role",
  ],
  [
    "sends no tools",
    { send: ({ messages }) => messages },
    "tools and their runs reach the provider of a model that has native tools",
  ],
  ["sends tools in any case", { send: (request) => request }, "tools are not sent to a model that has none"],
  [
    "sends the names of tools in any case",
    { send: ({ tools, ...rest }) => ({ ...rest, tools: tools?.map(({ name }) => name) }) },
    "tools are not sent to a model that has none",
  ],
  [
    "sends what tools do in any case",
    { send: ({ tools, ...rest }) => ({ ...rest, tools: tools?.map(({ description }) => description) }) },
    "tools are not sent to a model that has none",
  ],
  [
    "sends half a character",
    { send: ({ messages }) => messages.map(({ content }) => content.replace("\ufffd", "\ud83d")) },
    "half a character in a message is not sent as such",
  ],
  ["changes the request", { mutates: true }, "text arrives whole, in order and unaltered"],
  [
    "leaves a rejection behind",
    { rejectsLater: true },
    "an abort in mid-message ends the request at once, and nothing comes after it",
  ],
]

/** The names of the checks that a model fails. A check that hangs fails at the time limit. */
async function failures(checks: readonly ConformanceCheck[], advance: () => void): Promise<string[]> {
  const failed: string[] = []
  for (const { name, run } of checks) {
    const outcome = run().then(
      () => undefined,
      (error: unknown) => error,
    )
    let settled = false
    void outcome.then(() => {
      settled = true
    })
    for (let turns = 0; !settled; turns++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (turns > 20) advance()
    }
    const error = await outcome
    if (error === undefined) continue
    expect(error).toMatchObject({ code: "test" })
    expect(String(error)).not.toMatch(/expected ;|expected {2}/)
    failed.push(name)
  }
  return failed
}

async function failuresOf(flaws: Flaws): Promise<string[]> {
  const timers = manualTimers(manualClock())
  return failures(modelConformance(playBroken(flaws), { timers, limitMs: 1_000 }), () => timers.advance(1_000))
}

/** Keeps vitest from reporting the unhandled rejection that the check must find. */
async function unheardByVitest<T>(task: () => Promise<T>): Promise<T> {
  const listeners = process.listeners("unhandledRejection")
  process.removeAllListeners("unhandledRejection")
  try {
    return await task()
  } finally {
    for (const listener of listeners) process.on("unhandledRejection", listener)
  }
}

describe("the conformance suite", () => {
  test("finds nothing wrong with a model that keeps the rules", async () => {
    expect(await failuresOf({})).toEqual([])
  })

  test("finds nothing wrong with a model that sends its requests late", async () => {
    expect(await failuresOf({ slow: true })).toEqual([])
  })

  test("asks nothing that no agent would ask: each result of a tool answers a call of the message before it", async () => {
    const requests: ModelRequest[] = []
    await failuresOf({
      send(request) {
        requests.push(request)
        return request
      },
    })
    const pairs = requests.flatMap(({ messages }) =>
      messages.flatMap(({ toolCallId }, at) =>
        toolCallId === undefined ? [] : [[toolCallId, messages[at - 1]?.toolCalls?.map(({ id }) => id)]],
      ),
    )
    expect(pairs.length).toBeGreaterThan(0)
    expect(pairs.filter(([id, calls]) => id === "" || !calls?.includes(id as string))).toEqual([])
  })

  test.each<[string, Flaws, string]>([
    [
      "an abort in mid-message ends the request at once, and nothing comes after it",
      { thrown: (error) => (error.code === "aborted" ? new Error("plain") : error) },
      "found Error: plain",
    ],
    ["an abort as the request goes out ends it as aborted", { deaf: true }, "found [{"],
  ])("tells what it found instead: %s", async (rule, flaws, found) => {
    const check = modelConformance(playBroken(flaws)).find(({ name }) => name === rule)
    await expect(check?.run()).rejects.toThrow(found)
  })

  test("finds nothing wrong with a model of which one stream has more parts than another", async () => {
    const letters = (part: ModelPart): readonly ModelPart[] =>
      part.type === "text-delta" && part.delta.startsWith("b") ? [...part.delta].map((delta) => ({ ...part, delta })) : [part]
    expect(await failuresOf({ parts: letters })).toEqual([])
  })

  test.each([
    [12, ["no error repeats the key"]],
    [13, []],
  ])("looks for a key that %d objects hold, each in the other, the error being the first", async (count, found) => {
    const wrapped = (secret: string, times: number): unknown => (times === 0 ? secret : { inner: wrapped(secret, times - 1) })
    const thrown: Flaws["thrown"] = ({ code, message, evidence }, { secret }) =>
      new PromptStrataError(code, message, { evidence, cause: wrapped(secret, count - 1) })
    expect(await failuresOf({ thrown })).toEqual(found)
  })

  test.each(broken)("finds a model that %s", async (_, flaws, found) => {
    expect(await unheardByVitest(() => failuresOf(flaws))).toContain(found)
  })

  test("has no check that no broken model fails", () => {
    const names = modelConformance(playBroken({})).map(({ name }) => name)
    const found = new Set(broken.map(([, , name]) => name))
    expect(names.filter((name) => !found.has(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  test("leaves out what a wire format cannot say", () => {
    const names = modelConformance(playBroken({}), { without: ["tool-call", "usage"] }).map(({ name }) => name)
    expect(names.filter((name) => /tool call|tokens/.test(name))).toEqual([])
    expect(names).toContain("text arrives whole, in order and unaltered")
  })
})
