import { describe, expect, test } from "vitest"
import { type BotChat, deliverTurn, keepTyping } from "../../../src/apps/bots/deliver-turn.ts"
import { retryAfterMs, sendPatiently } from "../../../src/apps/bots/send-patiently.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { errorWords } from "../../../src/trace/error-words.ts"
import { finish, testAgent } from "../../support/agents.ts"

function chatThat(changes: Partial<BotChat> = {}): { readonly chat: BotChat; readonly sent: string[] } {
  const sent: string[] = []
  const sendText = (text: string) => void sent.push(text)
  return { chat: { limit: 64, sendText, ...changes }, sent }
}

const answering = (text: string) => testAgent(scriptedModel([finish(text)])).session.send("hi")

/** An error with members, as libraries of platforms throw them. */
const refusal = (members: object) => Object.assign(new Error("Too Many Requests"), members)

describe("an answer is delivered", () => {
  test("bubble by bubble, split within the limit, with the platform's own marks", async () => {
    const { chat, sent } = chatThat({ print: (text) => text.replace("@Bob", "<@7>") })
    const result = await deliverTurn(answering(`Hello @Bob. ${"word ".repeat(14)}`), chat)
    expect(result).toMatchObject({ ok: true })
    expect(sent).toEqual([expect.stringMatching(/^Hello <@7>\. word/), expect.stringMatching(/^word/)])
    expect(sent.every((each) => each.length <= 64)).toBe(true)
  })

  test("the sign of typing is shown until the answer stands, also where it cannot be shown", async () => {
    let shown = 0
    const errors: unknown[] = []
    const timers = manualTimers(manualClock(0))
    const showTyping = () => {
      shown++
      throw new Error("no rights")
    }
    await deliverTurn(answering("好"), chatThat({ showTyping, timers, onError: (error) => errors.push(error) }).chat)
    expect(shown).toBeGreaterThan(0)
    expect(errors).toHaveLength(shown)
    const before = shown
    timers.advance(60_000)
    expect(shown).toBe(before)
  })

  test("a failed turn is told in words, and to the owner as it is; an aborted one is silent", async () => {
    const failing: LanguageModel = {
      ...scriptedModel([]),
      stream() {
        throw new PromptStrataError("model", "openai answered with status 429", {
          evidence: { kind: "rate-limit", isRetryable: false },
        })
      },
    }
    const errors: unknown[] = []
    const { chat, sent } = chatThat({ locale: "zh-CN", onError: (error) => errors.push(error) })
    const result = await deliverTurn(testAgent(failing).session.send("hi"), chat)
    expect(result).toMatchObject({ ok: false, error: { code: "model" } })
    expect(sent).toEqual(["现在问我的人太多了，请过一分钟再试。"])
    expect(errors).toEqual([expect.objectContaining({ message: "openai answered with status 429" })])

    const aborted = testAgent(scriptedModel([finish("never")])).session.send("hi")
    aborted.abort()
    const quiet = chatThat({ onError: (error) => errors.push(error) })
    expect(await deliverTurn(aborted, quiet.chat)).toMatchObject({ ok: false, error: { code: "aborted" } })
    expect([quiet.sent, errors.length]).toEqual([[], 1])
  })

  test("a message that the platform refuses for now is sent again when it asks, once", async () => {
    const timers = manualTimers(manualClock(0))
    const sent: string[] = []
    let refused = 0
    const sendText = (text: string) => {
      if (refused++ < 2) throw refusal({ parameters: { retry_after: refused } })
      sent.push(text)
    }
    const delivered = deliverTurn(answering("hello"), { limit: 4096, sendText, timers })
    await timers.whenPending(1)
    timers.advance(999)
    expect([refused, timers.pending]).toEqual([1, 1])
    timers.advance(1)
    await timers.whenPending(1)
    timers.advance(2_000)
    await delivered
    expect([sent, refused]).toEqual([["hello"], 3])
  })

  test("a message whose sending is given up while it waits is not sent again", async () => {
    const timers = manualTimers(manualClock(0))
    const controller = new AbortController()
    let tries = 0
    const sent = sendPatiently(
      () => {
        tries++
        throw refusal({ parameters: { retry_after: 1 } })
      },
      { timers, signal: controller.signal },
    )
    await timers.whenPending(1)
    controller.abort()
    await expect(sent).rejects.toMatchObject({ parameters: { retry_after: 1 } })
    expect(tries).toBe(1)
  })

  test("an error without a time to wait is the caller's: the message may have arrived", async () => {
    let tries = 0
    const sendText = () => {
      tries++
      throw new Error("socket hang up")
    }
    await expect(deliverTurn(answering("hello"), { limit: 4096, sendText })).rejects.toThrow("socket hang up")
    expect(tries).toBe(1)
  })

  test("a misspelt option is an error", async () => {
    await expect(deliverTurn(answering("x"), { limit: 64, sendtext: () => 0 } as never)).rejects.toThrow('"sendText"')
    expect(() => keepTyping(() => 0, { every: 5 } as never)).toThrow('"everyMs"')
  })
})

describe("the time that a platform asks to wait", () => {
  test.each([
    [{ parameters: { retry_after: 3 } }, 3_000],
    [{ rawError: { retry_after: 0.65 } }, 650],
    [{ response: { headers: new Headers({ "retry-after": "7" }) } }, 7_000],
    [{ response: { headers: { "Retry-After": "2" } } }, 2_000],
    [{ response: { data: { retry_after: 1 } } }, 1_000],
    [{ status: 500 }, undefined],
    [{ response: { headers: { "retry-after": "soon" } } }, undefined],
    [{ parameters: { retry_after: -1 } }, undefined],
  ])("%j", (members, ms) => {
    expect(retryAfterMs(refusal(members))).toBe(ms)
  })

  test.each([undefined, null, "no", 5])("nothing is asked by %j", (thrown) => {
    expect(retryAfterMs(thrown)).toBeUndefined()
  })
})

describe("words for an error", () => {
  test("say nothing of what is inside, in both languages", () => {
    const error = new PromptStrataError("file-outside", "/home/bot/secret.txt is outside", { evidence: { path: "x" } as never })
    expect(errorWords(error, "en")).toBe("I could not use that file. Please check its name, kind and size, and send it again.")
    expect(errorWords(error, "zh-Hans")).toContain("这个文件我用不了")
  })

  test("tell the owner's faults from busy times", () => {
    const model = (kind: "quota" | "rate-limit" | "server") => new PromptStrataError("model", "x", { evidence: { kind } })
    const said = (["quota", "rate-limit", "server"] as const).map((kind) => errorWords(model(kind), "en"))
    expect(said.map((each) => each.split(/[.,]/)[0])).toEqual([
      "I am not set up correctly",
      "I am being asked too much right now",
      "I cannot reach my language model",
    ])
  })

  test("are there for anything thrown", () => {
    for (const thrown of [undefined, "x", new Error("x")]) expect(errorWords(thrown, "en")).toContain("Something went wrong")
  })
})
