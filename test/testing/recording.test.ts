import { readFileSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import type { LanguageModel, ModelPart, ModelRequest } from "../../src/core/model/language-model.ts"
import { secretFinder } from "../../src/core/secrets/find-secrets.ts"
import { redactPieces, redactText } from "../../src/core/secrets/redact.ts"
import {
  expectScriptsDone,
  recordModel,
  replayModel,
  type ScriptedAnswer,
  scriptedModel,
  seededRandom,
} from "../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../support/agents.ts"
import { runs } from "../support/size.ts"
import { tempFolder } from "../support/temp-folder.ts"

const live = () => ({ signal: new AbortController().signal })
const asking = (...contents: string[]): ModelRequest => ({
  messages: contents.map((content, at) => ({ role: at % 2 === 0 ? ("user" as const) : ("assistant" as const), content })),
})
const newFile = () => `${tempFolder()}/recordings/talk.jsonl`

/** The parts of a stream, and its error if it fails. */
async function heard(model: LanguageModel, request: ModelRequest, options = live()): Promise<unknown[]> {
  const all: unknown[] = []
  try {
    for await (const part of model.stream(request, options)) all.push(part)
  } catch (error) {
    all.push(error)
  }
  return all
}

function forgetEarlierScripts(): void {
  try {
    expectScriptsDone()
  } catch {
    // Replays of other tests in this file are left unfinished on purpose.
  }
}

/** Records requests to a model with these answers. */
async function record(answers: readonly ScriptedAnswer[], requests: readonly ModelRequest[], secrets: readonly string[] = []) {
  const file = newFile()
  const model = recordModel(scriptedModel(answers, { id: "real", capabilities: { tools: true } }), file, { secrets })
  const original: unknown[][] = []
  for (const request of requests) original.push(await heard(model, request))
  return { file, original, text: () => readFileSync(file, "utf8") }
}

const failed = new PromptStrataError("model", "real answered with status 429.", {
  evidence: { isRetryable: true, retryAfterMs: 5 },
  hint: "Wait.",
})
const wordy: ScriptedAnswer = [
  { type: "thinking-delta", delta: "hm\u2028" },
  "早上",
  "",
  "好😀\n",
  { type: "tool-call", call: { id: "a", name: "clock", args: '{ "zone": "UTC" }' } },
  { type: "usage", usage: { inputTokens: 3, outputTokens: 0 } },
  { type: "warning", message: "careful" },
  { type: "finish", reason: "tool-calls" },
]

describe("a recording", () => {
  test("plays back what was heard, part by part, errors included", async () => {
    const requests = [asking("one"), asking("two"), asking("three"), asking("four")]
    const { file, original } = await record([wordy, ["half", failed], [new TypeError("fetch failed")], "fine"], requests)
    const replay = await replayModel(file)
    expect(replay).toMatchObject({ id: "real", capabilities: { tools: true, developerRole: false } })
    const replayed: unknown[][] = []
    for (const request of requests) replayed.push(await heard(replay, request))
    replay.assertDone()
    expect(replayed[0]).toEqual(original[0])
    expect(replayed[3]).toEqual(original[3])
    expect(replayed[1]?.[0]).toEqual({ type: "text-delta", delta: "half" })
    const { code, message, hint, evidence } = failed
    expect(replayed[1]?.[1]).toMatchObject({ code, message, hint, evidence })
    expect(PromptStrataError.isInstance(replayed[1]?.[1])).toBe(true)
    expect(replayed[2]?.[0]).toMatchObject({ message: "fetch failed" })
  })

  test("is JSON lines that a person can read, in a fixed order", async () => {
    const tools = [{ name: "clock", description: "Tells the time.", inputSchema: { type: "object" } }]
    const { text } = await record(
      [wordy, ["half", failed]],
      [{ ...asking("now?", "wait", "well?"), tools, maxOutputTokens: 9, facts: undefined as never }, asking("again")],
    )
    await expect(text()).toMatchFileSnapshot("__snapshots__/recording.jsonl")
  })

  test("holds requests in the order they were made, whichever ends first", async () => {
    const file = newFile()
    const model = recordModel(scriptedModel(["first", "second"]), file)
    const slow = model.stream(asking("one"), live())[Symbol.asyncIterator]()
    await slow.next()
    await heard(model, asking("two"))
    while (!(await slow.next()).done);
    const messages = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.startsWith('{"message"'))
    expect(messages.map((line) => JSON.parse(line).message.content)).toEqual(["one", "two"])
  })

  test("of a reader that stopped is silent where it stopped, until the request is aborted", async () => {
    const file = newFile()
    const recording = recordModel(
      scriptedModel([
        ["half", { stallUntilAborted: true }],
        ["a", "b"],
      ]),
      file,
    )
    const abortAfterFirst = async (model: LanguageModel) => {
      const controller = new AbortController()
      const parts: ModelPart[] = []
      const reading = (async () => {
        for await (const part of model.stream(asking("one"), controller)) {
          parts.push(part)
          controller.abort(new Error("enough"))
        }
      })()
      await expect(reading).rejects.toMatchObject({ code: "aborted" })
      expect(parts).toEqual([{ type: "text-delta", delta: "half" }])
    }
    const leaveAfterFirst = async (model: LanguageModel) => {
      for await (const part of model.stream(asking("two"), live())) {
        expect(part).toEqual({ type: "text-delta", delta: "a" })
        break
      }
    }
    await abortAfterFirst(recording)
    await leaveAfterFirst(recording)
    const replay = await replayModel(file)
    await abortAfterFirst(replay)
    await leaveAfterFirst(replay)
    replay.assertDone()
  })

  test("of a whole turn with a tool replays to the same turn without the model", async () => {
    const file = newFile()
    const model = scriptedModel([callTool("clock"), finish("It is noon.")])
    const tools = [
      { name: "clock", description: "Tells the time.", inputSchema: { type: "object" }, execute: () => "12:00" },
    ] as never
    const turn = (it: LanguageModel) => testAgent(it, {}, { tools }).session.send("What time is it?").result
    const recorded = await turn(recordModel(model, file))
    const replay = await replayModel(file)
    expect(await turn(replay)).toMatchObject({ ok: true, text: recorded.ok && recorded.text })
    replay.assertDone()
  })

  test("that cannot be written is an error of the stream, not a lost recording", async () => {
    const folder = tempFolder({ "talk.jsonl/file": "in the way" })
    const [error] = (await heard(recordModel(scriptedModel([[]]), `${folder}/talk.jsonl`), asking("one"))).slice(-1)
    expect(error).toBeInstanceOf(Error)
  })
})

describe("replaying requests that are not the recorded ones", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`)
  const now = (content: string) => content.replace("line 4", "line four")

  test("shows every line that differs, with the lines around it", async () => {
    const { file } = await record(["a", "b"], [asking("one"), asking(lines(90).join("\n"), "same", "more")])
    const replay = await replayModel(file)
    await heard(replay, asking("one"))
    const [error] = await heard(replay, asking(now(lines(90).join("\n")), "same", "less"))
    expect(error).toMatchObject({ code: "test", evidence: { file, request: 2 } })
    const [first, legend, ...shown] = (error as Error).message.replace(file, "talk.jsonl").split("\n")
    expect([first, legend]).toEqual(["The request is neither request 2 of talk.jsonl nor a later one:", "+ now - recorded"])
    const marked = shown.filter((line) => /^[+-]/u.test(line)).map((line) => line.replace(/[ ',]+/gu, " ").trim())
    expect(marked).toEqual(["+ line four", "- line 4", "+ less", "- more"])
    expect(shown.at(-1)).toBe("If this is intended, record the conversation again with recordModel.")
  })

  test("takes requests that were made side by side in any order", async () => {
    const { file } = await record(["a", "b"], [asking("one"), asking("two")])
    const replay = await replayModel(file)
    expect((await heard(replay, asking("two")))[0]).toEqual({ type: "text-delta", delta: "b" })
    expect((await heard(replay, asking("one")))[0]).toEqual({ type: "text-delta", delta: "a" })
  })

  test("finds one request too many and one too few", async () => {
    const { file } = await record(["a", "b"], [asking("one"), asking("two")])
    forgetEarlierScripts()
    const replay = await replayModel(file)
    await heard(replay, asking("one"))
    expect(() => expectScriptsDone()).toThrow(/Request 2 of 2 .* was never made\. Its last message \(user\):\ntwo/)
    await heard(replay, asking("two"))
    const [error] = await heard(replay, asking("three"))
    expect(error).toMatchObject({ code: "test", message: expect.stringMatching(/2 request\(s\).*\n?.*three/) })
  })

  test.each([
    ["is missing", undefined, /cannot be read: ENOENT.*\nRecord it with recordModel/s],
    ["is something else", '{"a":1}\n', /talk\.jsonl:1:1: expected a recording made by recordModel/],
    ["is of another version", '{"recording":"promptstrata","version":2}\n', /:1:1: expected version 1/],
    ["has a broken line", '{"recording":"promptstrata","version":1}\n{"request":1}\n{"mess', /:3:1: expected a JSON object/],
    ["breaks off", '{"recording":"promptstrata","version":1}\n{"request":1}\n', /:2:1: expected the end of the last exchange/],
    ["begins with a part", '{"recording":"promptstrata","version":1}\n{"part":1}\n', /:2:1: expected a request/],
    [
      "has a request in another one",
      '{"recording":"promptstrata","version":1}\n{"request":1}\n{"request":2}\n',
      /:3:1: expected the end of the exchange before this one/,
    ],
    [
      "ends otherwise",
      '{"recording":"promptstrata","version":1}\n{"request":1}\n{"end":"x"}\n',
      /:3:1: expected the end whole, failed or stopped/,
    ],
    [
      "has a line of another kind",
      '{"recording":"promptstrata","version":1}\n{"request":1}\n{"x":1}\n',
      /:3:1: expected a tool,/,
    ],
  ])("a file that %s is an error with its place", async (_, text, message) => {
    const file = `${tempFolder()}/talk.jsonl`
    if (text !== undefined) writeFileSync(file, text)
    await expect(replayModel(file)).rejects.toMatchObject({ code: "file", message: expect.stringMatching(message) })
  })
})

test("a file that the model made is recorded unaltered, whatever its base64 looks like", async () => {
  const file: ModelPart = {
    type: "file",
    mediaType: "image/png",
    base64: `AKIAIOSFODNN7EXAMPLE${"eyJhbGciOiJIUzI1NiJ9".repeat(4)}`,
  }
  const path = newFile()
  await heard(recordModel(scriptedModel([[file]]), path), asking("Draw."))
  expect((await heard(await replayModel(path), asking("Draw.")))[0]).toEqual(file)
})

describe("secrets", () => {
  const listed = 'pa55 "word"\u00e4'
  const shaped = [
    "sk-abcdefghijklmnop",
    "sk-proj-a1b2c3d4e5f6",
    "sk-ant-api03-AbC_d-9",
    "ghp_abcdefghij0123456789abcd",
    "AIzaSyA0123456789abcdefghijklmnopqrs",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "hf_abcdefghijklmnopqrstuv",
    "xoxb-1234567890-abc",
  ]
  const surrounded: [string, string][] = [
    ["Authorization: Bearer abcdefghijkl", "abcdefghijkl"],
    ['{"authorization":"Basic dXNlcjpwYXNz"}', "dXNlcjpwYXNz"],
    ["x-api-key: 0a1b2c3d", "0a1b2c3d"],
    ["postgres://alice:pa55w0rd@db/x", "pa55w0rd"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE+abc/def\n-----END RSA PRIVATE KEY-----", "MIIE+abc/def"],
  ]
  const find = secretFinder([listed], { MY_API_KEY: "from-the-environment", HOME: "/home/somebody/x" })
  const short = secretFinder([], { A_TOKEN: "twelve-chars", B_TOKEN: "eleven-char" })
  expect(redactText("twelve-chars and eleven-char", short)).not.toContain("twelve-chars")
  expect(redactText("twelve-chars and eleven-char", short)).toContain("eleven-char")

  test.each([...shaped.map((key): [string, string] => [`The key is ${key}, I think.`, key]), ...surrounded])(
    "%j has a secret, which is taken out and nothing else",
    (text, secret) => {
      const redacted = redactText(text, find)
      expect(redacted).not.toContain(secret)
      expect(redacted).toContain("[secret]")
      expect(redacted.slice(0, 4)).toBe(text.startsWith("----") ? "[sec" : text.slice(0, 4))
    },
  )

  test.each([
    "risk-management-2024 task-oriented-dialogue",
    "pk_customer_2024_id and key_value_pairs_10",
    "The bearer of bad news; basic information",
    "https://example.com/a:b/c@d",
    "tokens: 4000, eyJ, sk-, AKIA",
    "/home/somebody/x",
    "我们的密钥是什么？",
  ])("%s stays as it is", (text) => {
    expect(redactText(text, find)).toBe(text)
  })

  test("cut into pieces anywhere are taken out as from the whole, and there are as many pieces as before", () => {
    const word = fc.constantFrom(
      "",
      "a",
      " hello ",
      "👩‍👩‍👧",
      listed,
      "from-the-environment",
      ...shaped.map((key) => ` ${key} `),
      "\n",
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), fc.nat(), (words, seed) => {
        const text = words.join("")
        const random = seededRandom(seed)
        const pieces: string[] = []
        for (let at = 0; at < text.length; ) {
          const end = at + Math.floor(random() * 12)
          pieces.push(text.slice(at, end))
          at = end
        }
        const redacted = redactPieces(pieces, find)
        expect(redacted).toHaveLength(pieces.length)
        expect(redacted.join("")).toBe(redactText(text, find))
        for (const secret of [listed, "from-the-environment", ...shaped]) expect(redacted.join("")).not.toContain(secret)
      }),
      { numRuns: runs(2_000) },
    )
  })

  test.each(["sk-", "eyJa.", "Bearer ", "://a:", "-----BEGIN PRIVATE KEY-----", "authorization: ", "api key = "])(
    "are looked for in linear time in %s over and over",
    (piece) => {
      // With a search that is not linear this test would take hours.
      const text = piece.repeat(200_000)
      expect(find(text).every(([start, end]) => start < end && end <= text.length)).toBe(true)
    },
  )

  test("never reach the file: in requests, tools, answers in pieces, arguments and errors", async () => {
    const key = shaped[1] ?? ""
    const request: ModelRequest = {
      messages: [
        { role: "system", content: `Use ${key}.` },
        { role: "assistant", content: "", toolCalls: [{ id: "1", name: "login", args: JSON.stringify({ password: listed }) }] },
        { role: "tool", content: `logged in with ${listed}`, toolCallId: "1" },
      ],
      tools: [{ name: "login", description: `With ${listed}`, inputSchema: { default: key, [key]: 1 } }],
    }
    const answer: ScriptedAnswer = [
      "It is ",
      key.slice(0, 5),
      { type: "thinking-delta", delta: listed.slice(0, 4) },
      key.slice(5),
      { type: "thinking-delta", delta: listed.slice(4) },
      { type: "tool-call", call: { id: "2", name: "login", args: '{"password":"pa55 \\"word\\"\\u00e4"}' } },
      { type: "warning", message: listed },
      new PromptStrataError("model", `refused ${key}`, { evidence: { requestId: listed, isRetryable: false }, hint: listed }),
    ]
    const { file, text, original } = await record([answer], [request], [listed])
    for (const leak of [key, listed, JSON.stringify(listed).slice(1, -1), "pa55", "word", key.slice(5)]) {
      expect(text().replaceAll('"password"', "").replaceAll('\\"password\\"', "")).not.toContain(leak)
    }
    expect(text().match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(11)
    const replayed = await heard(await replayModel(file, { secrets: [listed] }), request)
    expect(replayed).toHaveLength(original[0]?.length ?? 0)
    expect(replayed[0]).toEqual({ type: "text-delta", delta: "It is " })
    expect(replayed[1]).toEqual({ type: "text-delta", delta: "[secret]" })
  })
})
