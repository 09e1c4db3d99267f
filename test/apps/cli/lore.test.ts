import { describe, expect, test } from "vitest"
import { scriptedModel } from "../../../src/testing/index.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const entries = [
  { keys: ["shop"], name: "The shop", content: "The shop is old." },
  { keys: ["old"], name: "Age", content: "Two hundred years.", extensions: { position: 4, depth: 1 } },
  { keys: ["shop"], name: "Rare \u001b[2J", content: "A ghost.", extensions: { probability: 0, useProbability: true } },
  { keys: ["shop"], name: "Off", content: "Nothing.", enabled: false },
  { keys: [], name: "Rain", content: "It rains.", constant: true },
  { keys: ["unsaid"], name: "Unsaid", content: "Nobody asked." },
]
const data = {
  name: "Mei",
  description: "Mei keeps a shop.",
  first_mes: "Welcome!",
  alternate_greetings: ["Rain again."],
  character_book: { entries, recursive_scanning: true },
}
const card = { "mei.json": JSON.stringify({ spec: "chara_card_v3", data }) }

describe("lore and greetings on the command line", () => {
  test("C18: render --lore tells which entries are in, by which key, where and at what cost, and what kept the others out", async () => {
    const path = `${tempFolder(card)}/mei.json`
    const { code, stdout } = await run(["render", path, "--question", "How old is the shop?", "--lore"])
    expect(code).toBe(0)
    await expect(stdout).toMatchFileSnapshot("./__snapshots__/render-lore.txt")
    const none = await run(["render", path, "--prompt", "chat", "--question", "Hi", "--lore"])
    expect(none.stdout).toMatch(/In the prompt: 1\n.*\n.*Rain/)
  })

  test("C18: chat --show trace prints the same table", async () => {
    const args = ["chat", `${tempFolder(card)}/mei.json`, "--once", "the shop", "--show", "trace"]
    const { stderr } = await run(args, { model: scriptedModel(["Yes."]) })
    expect(stderr).toContain("In the prompt: ")
    expect(stderr).toContain("chance (probability)")
  })

  test("C33: chat --user is the name of the user in all that the card says", async () => {
    const json = {
      spec: "chara_card_v3",
      data: { ...data, first_mes: "Welcome, {{user}}!", description: "{{user}} is a guest." },
    }
    const path = `${tempFolder({ "mei.json": JSON.stringify(json) })}/mei.json`
    const model = scriptedModel(["Yes."])
    const { stdout } = await run(["chat", path, "--user", "Ann"], { model, input: "Hi\n" })
    expect(stdout).toBe("Welcome, Ann!\nYes.\n")
    const sent = model.requests[0]?.messages.map(({ content }) => content).join("\n")
    expect([sent?.includes("Ann is a guest."), sent?.includes("User")]).toEqual([true, false])
  })

  test("C8: chat --greeting begins with another greeting of the card", async () => {
    const path = `${tempFolder(card)}/mei.json`
    const chat = (...args: string[]) => run(["chat", path, ...args], { model: scriptedModel(["Yes."]), input: "Hi\n" })
    expect((await chat()).stdout).toBe("Welcome!\nYes.\n")
    expect((await chat("--greeting", "2")).stdout).toBe("Rain again.\nYes.\n")
    const { code, stderr } = await chat("--greeting", "3")
    expect([code, stderr]).toEqual([2, expect.stringContaining("expected the number of a greeting from 1 to 2, found 3")])
  })
})
