import { mkdirSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const asset = (name: string, uri = `embeded://assets/${name}.png`, type = "emotion") => ({ type, name, uri, ext: "png" })
const assets = [
  asset("Happy"),
  asset("neutral"),
  asset("sad", "https://example.com/sad.png"),
  asset("main", "ccdefault:", "icon"),
]

/** The emotions of an answer, each with its asset, of a profile whose persona is the card. */
async function emotionsOf(persona: string, folder: string, answer: string) {
  writeFileSync(
    `${folder}/mei.toml`,
    `locale = "en"\n[agent]\nname = "Mei"\n[prompt]\ndialect = "tavern"\npersona = ${JSON.stringify(persona)}\nformat = "./format.md"\n[loop]\nmode = "chat"\n`,
  )
  const profile = await loadProfile(`${folder}/mei.toml`, { env: {} })
  const turn = createAgent({ profile, model: scriptedModel([answer]) })
    .session("c")
    .send("Hi")
  const found: unknown[] = []
  for await (const event of turn) if (event.type === "emotion") found.push(event)
  return found
}

const format = "---\nparser: emotion_bracket\nemotions: [happy, sad, angry]\n---\nBegin with [EMOTION].\n"

describe("emotion assets of a card (C12)", () => {
  test("an emotion carries the address of the asset of its name, else that of neutral", async () => {
    const card = JSON.stringify({ spec: "chara_card_v3", data: { name: "Mei", assets } })
    const folder = tempFolder({ "mei.json": card, "format.md": format })
    expect(await emotionsOf("./mei.json", folder, "[happy] Hi.\n[sad] Oh.\n[angry] No.")).toEqual([
      { type: "emotion", emotion: "happy", asset: "embeded://assets/Happy.png" },
      { type: "emotion", emotion: "sad", asset: "https://example.com/sad.png" },
      { type: "emotion", emotion: "angry", asset: "embeded://assets/neutral.png" },
    ])
  })

  test("in the folder of an imported card it is the path of the file, and none leads out of the folder", async () => {
    const outside = asset("sad", "embeded://assets/../../secret.png")
    const card = JSON.stringify({ spec: "chara_card_v3", data: { name: "Mei", assets: [asset("happy"), outside] } })
    const folder = tempFolder({ "mei/card.parts.json": card, "format.md": format, "secret.png": "x" })
    mkdirSync(`${folder}/mei/assets`)
    writeFileSync(`${folder}/mei/assets/happy.png`, "x")
    expect(await emotionsOf("./mei/card.parts.json", folder, "[happy] Hi.\n[sad] Oh.\n[angry] No.")).toEqual([
      { type: "emotion", emotion: "happy", asset: `${folder}/mei/assets/happy.png` },
      { type: "emotion", emotion: "sad", asset: "embeded://assets/../../secret.png" },
      { type: "emotion", emotion: "angry" },
    ])
  })

  test("C21: names of emotions keep their letters", async () => {
    const card = JSON.stringify({ spec: "chara_card_v3", data: { name: "Mei", assets: [asset("ばら"), asset("e\u0301mu")] } })
    const listed = format.replace("happy, sad, angry", "はら, ばら, ému")
    const folder = tempFolder({ "mei.json": card, "format.md": listed })
    expect(await emotionsOf("./mei.json", folder, "[はら] Hi.\n[ばら] Oh.\n[ÉMU] No.")).toEqual([
      { type: "emotion", emotion: "はら" },
      { type: "emotion", emotion: "ばら", asset: "embeded://assets/ばら.png" },
      { type: "emotion", emotion: "ému", asset: "embeded://assets/e\u0301mu.png" },
    ])
  })

  test("a card without such assets changes nothing", async () => {
    const folder = tempFolder({ "mei.json": JSON.stringify({ name: "Mei", description: "x" }), "format.md": format })
    expect(await emotionsOf("./mei.json", folder, "[happy] Hi.")).toEqual([{ type: "emotion", emotion: "happy" }])
  })
})
