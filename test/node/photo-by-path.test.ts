import { expect, test } from "vitest"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import { finish } from "../support/agents.ts"
import { png } from "../support/pictures.ts"
import { tempFolder } from "../support/temp-folder.ts"

const seer = () => scriptedModel([finish("A cat."), finish("A cat.")], { capabilities: { attachments: ["image/*"] } })

async function ask(name: string, path: string, { opens = true, model = seer(), formats = "" } = {}) {
  const output = opens ? "[output]\nfile_references = true\n" : ""
  const toml = `extends = "${name}"\nlocale = "en"\n${output}[files]\nfolder = "files"\n${formats}[memory]\nenabled = false\n`
  const folder = tempFolder({
    "bot.toml": toml,
    "files/inbox/photo.png": png(3, 2),
    "files/inbox/photo": png(3, 2),
    "files/Makefile": "all:",
    "files/fake.png": "no picture",
    "files/plan.md": "# Plan",
    "secret.png": png(1, 1),
  })
  const agent = createAgent({ profile: await loadProfile(`${folder}/bot.toml`, { dataFolder: `${folder}/data` }), model })
  const result = await agent.session("c").send("Look", { attachments: [{ path }] }).result
  await agent.close()
  const parts = model.requests[0]?.messages.flatMap((message) => message.parts ?? []) ?? []
  return { result, parts, requests: model.requests.length, text: JSON.stringify(model.requests[0]?.messages) }
}

test.each(["fay", "layered", "stack", "stack-cached", "soul", "root"])(
  "R8 a model sees a photo that is attached by its path in %s",
  async (name) => {
    const { parts, text } = await ask(name, "inbox/photo.png")
    expect(parts.map(({ bytes, attachment }) => [attachment.name, attachment.mediaType, bytes])).toEqual([
      ["inbox/photo.png", "image/png", png(3, 2)],
    ])
    expect(text).toContain("%[inbox/photo.png]")
  },
)

test.each([
  ["nothing.png", true, "file-missing", /is not in the workspace/],
  ["../secret.png", true, "file", /may be opened/],
  ["fake.png", true, "file", /expected a picture/],
  ["inbox/photo.heic", true, "file", /\[files\] formats/],
  ["inbox/photo.png", false, "file", /file_references = true/],
])("R8 a photo that cannot be read is refused with words: %s, file references %s", async (path, opens, code, words) => {
  const { result, requests } = await ask("fay", path, { opens, model: scriptedModel([]) })
  expect(result).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(words) } })
  expect(requests).toBe(0)
})

test("R8 a photo without an ending is known by its first bytes: it is read, or refused with words", async () => {
  const { parts } = await ask("fay", "inbox/photo")
  expect(parts.map(({ bytes, attachment }) => [attachment.name, attachment.mediaType, bytes])).toEqual([
    ["inbox/photo", "image/png", png(3, 2)],
  ])
  const { result, requests } = await ask("fay", "inbox/photo", { formats: 'formats = ["md"]\n', model: scriptedModel([]) })
  expect(result).toMatchObject({ ok: false, error: { code: "file", message: expect.stringMatching(/may be opened/) } })
  expect(requests).toBe(0)
  const { parts: none, text } = await ask("fay", "Makefile", { model: scriptedModel([finish("Yes.")]) })
  expect([none, text]).toEqual([[], expect.stringContaining("%[Makefile]")])
})

test("R8 a text file keeps its name alone, because tools can read it", async () => {
  for (const opens of [true, false]) {
    const { parts, text } = await ask("fay", "plan.md", { opens, model: scriptedModel([finish("Yes.")]) })
    expect([parts, text]).toEqual([[], expect.stringContaining("%[plan.md]")])
  }
})
