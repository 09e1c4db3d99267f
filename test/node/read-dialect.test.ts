import { describe, expect, test } from "vitest"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import { knownDialects } from "../../src/node/read-dialect.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import { tempFolder } from "../support/temp-folder.ts"

/** The prompt of a profile of `dialect` beside these prompt files. */
async function promptOf(files: Readonly<Record<string, string>>, dialect = "layered"): Promise<string> {
  const folder = tempFolder({
    "profiles/own.toml": `locale = "en"\n[agent]\nname = "Bo"\n[prompt]\ndialect = ${JSON.stringify(dialect)}\nfolder = "../prompts"\n`,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`prompts/${path}`, text])),
  })
  const profile = await loadProfile(`${folder}/profiles/own.toml`, { env: {} })
  const { messages } = await createAgent({ profile, model: scriptedModel([]) })
    .session("c")
    .preview("Hi?")
  return messages.map(({ content }) => content).join("\n")
}

describe("the dialects that a folder brings", () => {
  test("are its folders with a prompt of a turn in any language, beside the shipped ones", () => {
    const shipped = knownDialects()
    const folder = tempFolder({
      "mine/en/planner.md": "",
      "other/zh-CN/final.md": "",
      "notes/en/notes.md": "",
      "half/planner.md": "",
      "shared/en/planner.md": "",
    })
    expect(knownDialects(folder)).toEqual([...shipped, "mine", "other"].sort())
    expect(shipped).toEqual([...shipped].sort())
  })
})

describe("a file of one's own", () => {
  const planner = "${role(user)}\n${file_load(./part.md)}\n${question}\n${rest}\n"

  test("replaces the shipped one, and loads files beside it", async () => {
    const text = await promptOf({ "layered/en/planner.md": planner, "layered/en/part.md": "My own part." })
    expect(text).toContain("My own part.")
  })

  test("of a language that the folder has not is that of the shipped files", async () => {
    expect(await promptOf({ "layered/zh-CN/planner.md": planner, "layered/zh-CN/part.md": "我的。" })).not.toContain("我的")
  })

  test("that loads a file which is nowhere is a mistake with its place", async () => {
    await expect(promptOf({ "layered/en/planner.md": planner })).rejects.toThrow(/planner\.md:2:1[\s\S]*part\.md/)
  })

  test("makes a dialect of one's own with the shared files of the shipped ones", async () => {
    const files = { "mine/en/planner.md": planner, "mine/en/part.md": "Mine.", "mine/en/question.md": "Q: ${text}\n" }
    expect(await promptOf(files, "mine")).toMatch(/Mine\.\nQ: Hi\?/)
    await expect(promptOf({}, "mine")).rejects.toThrow("mine")
  })
})
