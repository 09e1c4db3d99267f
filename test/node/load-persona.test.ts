import { describe, expect, test } from "vitest"
import { loadPersona } from "../../src/node/load-persona.ts"
import { tempFolder } from "../support/temp-folder.ts"

describe("loadPersona", () => {
  test("loads a shipped persona by name, in the language asked for (L3)", async () => {
    expect(await loadPersona("fay", { locale: "zh-CN" })).toMatchObject({
      name: "Fay",
      userName: "主人",
      text: { trust: "author" },
    })
    expect(await loadPersona("fay")).toMatchObject({
      name: "Fay",
      userName: "Friend",
      text: { source: { file: "characters/en/fay.md", line: 5 } },
    })
  })

  test("loads a file by path, whole: only front matter and blank lines at its ends are left out", async () => {
    const folder = tempFolder({
      "mei.md": "\uFEFF---\r\nname: Mei\r\n---\r\n\r\n  # Mei\r\n\r\n${not a template}\r\n---\r\n\r\n",
      "plain.txt": "You are plain.",
      "empty.md": "",
    })
    expect(await loadPersona(`${folder}/mei.md`)).toEqual({
      name: "Mei",
      text: { text: "  # Mei\n\n${not a template}\n---", trust: "author", source: { file: `${folder}/mei.md`, line: 5 } },
    })
    expect((await loadPersona(`${folder}/plain.txt`)).text.text).toBe("You are plain.")
    expect((await loadPersona(`${folder}/empty.md`)).text.text).toBe("")
  })

  test("a name means the file in its language, then the one for all, then English, then Chinese; earlier folders first", async () => {
    const one = tempFolder({ "characters/zh-CN/a.md": "one zh", "characters/b.txt": "one b", "characters/en/c.md": "one en" })
    const two = tempFolder({
      "characters/zh-CN/a.md": "two zh",
      "characters/a.md": "two",
      "characters/fr/b.md": "two fr",
      "characters/zh-CN/c.md": "two zh",
    })
    const textOf = async (name: string, locale: string) =>
      (await loadPersona(name, { locale, promptFolders: [one, two] })).text.text
    expect(await textOf("a", "zh-CN")).toBe("one zh")
    expect(await textOf("a", "en")).toBe("two")
    expect(await textOf("b", "fr")).toBe("one b")
    expect(await textOf("c", "fr")).toBe("one en")
    expect(await textOf("c", "zh-CN")).toBe("two zh")
  })

  test("a persona that is not there throws with a suggestion and every place", async () => {
    const folder = tempFolder({ "characters/elaina.md": "Elaina" })
    const error = await loadPersona("elain", { promptFolders: [folder] }).catch((thrown) => thrown)
    expect(error.code).toBe("prompt-missing")
    expect(error.message.replaceAll(folder, "FOLDER")).toMatchInlineSnapshot(`
      "expected a persona, found none called "elain". Did you mean "elaina"?
      Looked for:
        FOLDER/characters/en/elain.{md,txt}
        FOLDER/characters/elain.{md,txt}
        prompts/characters/en/elain.{md,txt} (shipped)
        prompts/characters/elain.{md,txt} (shipped)
        FOLDER/characters/zh-CN/elain.{md,txt}
        prompts/characters/zh-CN/elain.{md,txt} (shipped)
      Known personas: elaina, fay, qinglan."
    `)
  })

  test.each([
    ["front matter that would run code (L12)", "---js\nmodule.exports = {}\n---\nx", "front-matter", /engine "js"/],
    ["an unknown key", "---\nnam: Mei\n---\nx", "front-matter", /:2:1: unknown key "nam".* "name"\?/s],
    [
      "a name that is no text",
      "---\nname: 42\n---\nx",
      "front-matter",
      /:2:1: name: expected one line of text that is not blank, found 42/,
    ],
    ["a name of two lines", "---\nname: |\n  a\n  b\n---\nx", "front-matter", /name: expected one line/],
    ["a prototype", "---\n__proto__: {}\n---\nx", "front-matter", /__proto__/],
    [
      "bytes that are no text",
      new Uint8Array([0x68, 0x69, 0x0a, 0xe4, 0xbd]),
      "file",
      /:2:1: expected UTF-8 text, found the byte 0xe4/,
    ],
    ["10 MB", "x".repeat(10_000_000), "file", /expected a persona of at most 262,144 bytes, found 10,000,000 bytes/],
  ])("%s is refused", async (_, content, code, message) => {
    const folder = tempFolder({ "mei.md": content })
    const error = await loadPersona(`${folder}/mei.md`).catch((thrown) => thrown)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  })
})
