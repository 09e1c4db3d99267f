import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import type { ProfileInput } from "../../src/profile/profile.ts"
import { finish } from "../support/agents.ts"
import { backgroundModel } from "../support/remembering.ts"
import { english, useBrowser, violations } from "./opened.ts"

const open = useBrowser()

const card = (page: Page, text: string) => page.getByRole("navigation").getByRole("button").filter({ hasText: text })

async function chatting(answers: readonly string[], profile: ProfileInput = {}, more: { readonly model?: LanguageModel } = {}) {
  let nowMs = Date.UTC(2026, 0, 2)
  // Answers are in the order of their times.
  const clock = { nowMs: () => ++nowMs }
  const setup = { profile: { ...english, ...profile }, chat: true, agentOptions: { ports: { clock } }, ...more }
  const opened = await open(answers.map(finish), setup)
  const { page, agent } = opened
  const field = page.locator("#say")
  const say = async (text: string) => {
    await field.fill(text)
    await field.press("Enter")
  }
  const told = (text: string) => page.getByRole("navigation").getByRole("status").getByText(text).waitFor()
  const history = async () => (await agent.session("inspector").history()).map(({ text }) => text)
  return { ...opened, field, say, told, history, main: page.getByRole("main") }
}

describe("N15 commands on the page", () => {
  test("are listed behind a slash, and taken with keys or a click", async () => {
    const { page, field, say, told, history, problems } = await chatting(["One."])
    await say("Count.")
    await card(page, "One.").waitFor()
    await field.fill("/")
    const options = page.getByRole("listbox", { name: "Commands" }).getByRole("option")
    await options.first().waitFor()
    expect((await options.allTextContents()).map((text) => text.split(" ")[0])).toEqual(
      "/start /new /help /regenerate /swipe /edit /undo /continue /memory /forget /schedule".split(" "),
    )
    expect(await violations(page)).toEqual([])
    for (let step = 0; step < 3; step++) await field.press("ArrowUp")
    await options.and(page.locator('[aria-selected="true"]')).getByText("/memory").waitFor()
    expect(await field.getAttribute("aria-activedescendant")).toBe("command-memory")
    await field.press("Tab")
    expect(await field.inputValue()).toBe("/memory ")
    await options.first().waitFor({ state: "detached" })
    await field.press("Enter")
    await told("Write what it is about: /memory WORDS")
    await field.fill("/u")
    await options.getByText("takes back your last words").click()
    await field.press("Enter")
    await told("Taken back.")
    expect(await history()).toEqual([])
    await field.fill("/n")
    await field.press("Escape")
    await options.first().waitFor({ state: "detached" })
    expect(problems).toEqual([])
  })

  test("are words where they are no command, and are told in Chinese", async () => {
    const { page, field, say, told, history } = await chatting(["那是路径。"], { locale: "zh-CN" })
    await say("/usr/bin 是什么？")
    await card(page, "那是路径。").waitFor()
    await field.fill("/s")
    await page.getByRole("option", { name: "/swipe 换下一个回答或开场白" }).waitFor()
    expect(await violations(page)).toEqual([])
    await say("/new")
    await told("新的会话开始了，记忆保留。")
    expect(await history()).toEqual([])
  })

  test("greet with the greetings of a card, and go on", async () => {
    const { page, say, told, history } = await chatting(["Onwards."], { greetings: ["Welcome.", "Good evening."] })
    const greeting = page.locator(".greeting")
    await greeting.getByText("Welcome.").waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole("button", { name: "Next greeting" }).click()
    await greeting.getByText("Greeting 2 of 2").waitFor()
    await greeting.getByText("Good evening.").waitFor()
    await say("/start")
    await told("This conversation has begun.")
    await say("/continue")
    await card(page, "Onwards.").waitFor()
    await greeting.waitFor({ state: "detached" })
    expect(await history()).toEqual(["Good evening.", "Go on.", "Onwards."])
  })
})

describe("N15 /memory on the page", () => {
  test("shows what is remembered about words, which /forget then forgets, as text that runs nothing", async () => {
    const words = "I live in Oslo <img src=x onerror=alert(1)>."
    const model = backgroundModel({
      turn: () => finish("Noted."),
      batch: JSON.stringify({ importance: 7, profile: {} }),
      profile: "{}",
    })
    const memory = { enabled: true, keys: false }
    const { page, field, say, told, agent, main, problems } = await chatting([], { memory }, { model })
    await say("/memory Oslo")
    await told("Nothing is remembered about that.")
    await say(words)
    await card(page, "Noted.").waitFor()
    await agent.idle()
    await say("/memory Where do I live in Oslo?")
    const status = page.getByRole("navigation").getByRole("status")
    await status.filter({ hasText: words }).waitFor()
    expect(await violations(page)).toEqual([])
    const [, id = ""] = /(\S+): [^\n]*I live in Oslo/u.exec((await status.filter({ hasText: words }).textContent()) ?? "") ?? []
    await say(`/forget ${id}`)
    await told("Forgotten.")
    await say("/memory Oslo")
    await told("Nothing is remembered about that.")
    await say("/memory off")
    await told("Memory is switched off: in this conversation nothing is recalled or learnt until /memory on.")
    expect(await agent.session("inspector").memoryOn()).toBe(false)
    await say("/memory on")
    await told("Memory is not switched off any more.")
    expect(await agent.session("inspector").memoryOn()).toBe(true)
    expect(await field.inputValue()).toBe("")
    await main.getByText("Noted.").first().waitFor()
    expect(problems).toEqual([])
  })
})

describe("N15 second thoughts on the page", () => {
  test("are buttons at the last turn alone: another answer, the answers before, other words", async () => {
    const { page, say, main, history, problems } = await chatting(["Hello.", "One.", "Two.", "Three."])
    await say("Hi.")
    await card(page, "Hello.").waitFor()
    await say("Count.")
    await card(page, "One.").waitFor()
    await main.getByRole("button", { name: "Answer again" }).click()
    await card(page, "Two.").waitFor()
    await main.getByText("Answer 2 of 2").waitFor()
    expect(await violations(page)).toEqual([])
    await main.getByRole("button", { name: "Answer before" }).click()
    await main.getByText("Answer 1 of 2").waitFor()
    await main.locator(".summary").getByText("One.").waitFor()
    expect(await history()).toEqual(["Hi.", "Hello.", "Count.", "One."])
    await main.getByRole("button", { name: "Edit words" }).click()
    const other = main.getByRole("textbox", { name: "Other words" })
    expect(await other.inputValue()).toBe("Count.")
    expect(await violations(page)).toEqual([])
    await other.fill("Count\non.")
    await main.getByRole("button", { name: "Send" }).click()
    await card(page, "Three.").waitFor()
    await main.getByText("Answer 3 of 3").waitFor()
    expect(await history()).toEqual(["Hi.", "Hello.", "Count\non.", "Three."])
    await card(page, "Hello.").click()
    await main.locator(".summary").getByText("Hello.").waitFor()
    expect(await main.getByRole("button", { name: "Answer again" }).count()).toBe(0)
    expect(problems).toEqual([])
  })
})
