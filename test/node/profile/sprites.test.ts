import { writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { lint } from "../../../src/lint/lint.ts"
import { readLintFiles } from "../../../src/node/lint/read-lint-files.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const gif = Buffer.from("GIF89a\x01\0\x01\0")

/** A profile whose character has these pictures, and whose format asks for joy and anger. */
function profileWith(names: readonly string[], prompt = `format = "./format.md"`, emotions = "emotions: [Joy, anger]\n") {
  const folder = tempFolder({
    "mei.md": "Mei.",
    "format.md": `---\nparser: emotion_bracket\n${emotions}---\nBegin with [EMOTION].\n`,
    "faces/.keep": "",
    "mei.toml": `locale = "en"\n[agent]\nname = "Mei"\n[prompt]\npersona = "./mei.md"\nsprites = "./faces"\n${prompt}\n`,
  })
  for (const name of names) writeFileSync(`${folder}/faces/${name}`, name.endsWith(".svg") ? "<svg/>" : gif)
  return `${folder}/mei.toml`
}

async function told(path: string): Promise<readonly string[]> {
  return lint(await readLintFiles({ profiles: [path] })).flatMap(({ rule, message }) => (rule === "sprite" ? [message] : []))
}

describe("C41 the pictures of a profile", () => {
  test("are those of its folder, for a persona that is no card", async () => {
    const { plugins } = await loadProfile(profileWith(["joy.gif", "portrait.gif"]), { env: {} })
    expect([
      ...(plugins
        .find(({ name }) => name === "sprites")
        ?.sprites?.()
        .pictures.keys() ?? []),
    ]).toEqual(["joy", "portrait"])
  })

  test("a folder that is not there is an error with its place", async () => {
    const path = profileWith([], `format = "./format.md"\n[prompt.nothing]`).replace("mei.toml", "other.toml")
    writeFileSync(path, `locale = "en"\n[prompt]\nsprites = "./none"\n`)
    await expect(loadProfile(path, { env: {} })).rejects.toThrow(/other\.toml:3.*expected a folder of pictures, found none at/s)
  })
})

describe("C43 lint", () => {
  test("tells emotions without a picture, pictures that no emotion names, and files that are not shown", async () => {
    expect(await told(profileWith(["joy.gif", "sad.gif", "neutral.gif", "portrait.gif", "anger.svg"]))).toEqual([
      'The picture "anger.svg" is not shown: its first bytes are those of no PNG, JPEG, WebP or GIF.',
      'The emotion "anger" has no picture; the neutral one, or the portrait, is shown.',
      'The picture "sad" is never shown: the format asks for no emotion of this name.',
    ])
  })

  test("tells nothing where all fit, where there is a portrait alone, or where any emotion may come", async () => {
    expect(await told(profileWith(["JOY.gif", "anger.gif"]))).toEqual([])
    expect(await told(profileWith(["portrait.gif"]))).toEqual([])
    expect(await told(profileWith(["sad.gif"], `format = "./format.md"`, ""))).toEqual([])
  })

  test("tells that pictures of emotions are for nothing without a format", async () => {
    expect(await told(profileWith(["joy.gif"], ""))).toEqual([
      "The character's pictures of emotions are never shown: no format asks for emotions.",
    ])
  })
})
