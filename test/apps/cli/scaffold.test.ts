import { existsSync, readdirSync, readFileSync } from "node:fs"
import { describe, expect, onTestFinished, test } from "vitest"
import {
  characterFiles,
  characterId,
  cloneAsDependency,
  readLocale,
  removeFiles,
  replaceFile,
  requireNew,
  writeNewFiles,
} from "../../../src/apps/cli/commands/scaffold.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run, start } from "./run.ts"

/** Makes a new folder the working folder of a test. */
function work(files: Readonly<Record<string, string>> = {}): string {
  const folder = tempFolder(files)
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
  return folder
}

describe("the name of a character's files", () => {
  test.each([
    ["Luna", "x", "luna"],
    ["Dr. Who", "x", "dr-who"],
    ["--A  b!!C--", "x", "a-b-c"],
    ["小月", "moon", "moon"],
    ["a小月", "moon", "moon"],
    ["!!", "Mo On", "mo-on"],
    ["~ ~", "月", "character"],
    ["", "/", "character"],
    ["x".repeat(59), "x", "x".repeat(59)],
    ["x".repeat(60), "x", "x".repeat(60)],
    ["x".repeat(61), "x", "x".repeat(60)],
    ["con", "x", "con-character"],
    ["PRN", "x", "prn-character"],
    ["aux", "x", "aux-character"],
    ["nul", "x", "nul-character"],
    ["com1", "x", "com1-character"],
    ["lpt9", "x", "lpt9-character"],
    ["com", "x", "com"],
    ["com10", "x", "com10"],
    ["conx", "x", "conx"],
    ["", "nul", "nul-character"],
  ])("%j in %j is %s", (name, folder, id) => {
    expect(characterId(name, folder)).toBe(id)
  })
})

describe("the files of a new character", () => {
  const plan = { folder: "/tmp/My Moon", name: "Luna", locale: "en", dependency: "^9.9.9" } as const

  test("have its name, package, language and dependency in the place of every mark", () => {
    const files = characterFiles(plan)
    expect([...files.keys()].filter((path) => path.includes("luna"))).toEqual([
      "profiles/luna.toml",
      "prompts/characters/en/luna.md",
    ])
    expect(files.has(".gitignore")).toBe(true)
    expect(JSON.parse(files.get("package.json") ?? "")).toMatchObject({
      name: "my-moon",
      dependencies: { promptstrata: "^9.9.9" },
    })
    expect(files.get("profiles/luna.toml")).toMatch(/locale = "en"[\s\S]*name = "Luna"/)
    expect([...files].filter(([path, text]) => /__(?:NAME|ID|PACKAGE|LOCALE|DEPENDENCY)__/.test(path + text))).toEqual([])
  })

  test("may have another id, and a package is called character in a folder without letters", () => {
    const files = characterFiles({ ...plan, folder: "/tmp/月", id: "sol", locale: "zh-CN" })
    expect(files.has("profiles/sol.toml")).toBe(true)
    expect(JSON.parse(files.get("package.json") ?? "")).toMatchObject({ name: "character" })
    expect(files.get("profiles/sol.toml")).toContain('locale = "zh-CN"')
  })
})

describe("a folder for new files", () => {
  const refusal = (taken: readonly string[]): unknown => {
    const folder = tempFolder(Object.fromEntries(taken.map((name) => [name, ""])))
    expect(() => requireNew(folder, ["z"])).not.toThrow()
    try {
      return requireNew(folder, ["z", ...taken])
    } catch (error) {
      return { error, folder }
    }
  }

  test("that has one of them is refused with advice", () => {
    const { error, folder } = refusal(["a"]) as { readonly error: unknown; readonly folder: string }
    expect(error).toMatchObject({
      code: "usage",
      message: expect.stringContaining(`expected a folder without the files of a character, found a in ${folder}.`),
      hint: "Nothing was written. Choose another folder, or move these files.",
    })
  })

  test.each([
    [["a", "b"], " a, b in"],
    [["a", "b", "c"], " a, b, c in"],
    [["a", "b", "c", "d"], " a, b, c, 1 more in"],
    [["a", "b", "c", "d", "e"], " a, b, c, 2 more in"],
  ])("that has %j is refused by name", (taken, names) => {
    const { error, folder } = refusal(taken) as { readonly error: unknown; readonly folder: string }
    expect(error).toMatchObject({ code: "usage", message: expect.stringContaining(`${names} ${folder}.`) })
  })

  test("is no file", () => {
    const folder = tempFolder({ a: "" })
    expect(() => requireNew(`${folder}/a`, [])).toThrow(`expected a folder, found a file at ${folder}/a.\nChoose another folder.`)
    expect(() => requireNew(`${folder}/new`, ["a"])).not.toThrow()
  })

  test("gets files below new folders, none over an old one but with force, and whole", () => {
    const folder = tempFolder({ "a.txt": "old" })
    writeNewFiles(folder, new Map<string, string | Uint8Array>([["b/c/d.txt", "new"]]))
    expect(() => writeNewFiles(folder, new Map([["a.txt", "new"]]))).toThrow("EEXIST")
    expect(readFileSync(`${folder}/a.txt`, "utf8")).toBe("old")
    writeNewFiles(
      folder,
      new Map([
        ["a.txt", "new"],
        ["e/f.txt", "f"],
      ]),
      true,
    )
    expect(["a.txt", "b/c/d.txt", "e/f.txt"].map((path) => readFileSync(`${folder}/${path}`, "utf8"))).toEqual([
      "new",
      "new",
      "f",
    ])
    replaceFile(`${folder}/a.txt`, Buffer.from("newer"))
    expect(readdirSync(folder).sort()).toEqual(["a.txt", "b", "e"])
    removeFiles([`${folder}/a.txt`, `${folder}/e/f.txt`])
    expect([existsSync(`${folder}/a.txt`), readdirSync(`${folder}/e`)]).toEqual([false, []])
  })
})

test.each([
  [undefined, undefined],
  ["en", "en"],
  ["en-US", "en"],
  ["zh", "zh-CN"],
  ["zh_TW", "zh-CN"],
])("the language %s is %s", (given, expected) => {
  expect(readLocale(given)).toBe(expected)
})

test("a clone is named by its path from the project", () => {
  const folder = work()
  expect(cloneAsDependency("a/b")).toMatch(/^file:(?:\.\.\/)+/)
  expect(cloneAsDependency(`${root}x`)).toBe("file:..")
  expect(cloneAsDependency(folder)).not.toContain("\\")
})

describe("init prints", () => {
  const paths = (id: string, locale: string) => [
    ...[".gitignore", "README.md", "package.json", `profiles/${id}.toml`, `prompts/characters/${locale}/${id}.md`],
    ...[`prompts/formats/${locale}/spoken.md`, "prompts/skills/comforting/SKILL.md", "src/character.mjs", "src/main.mjs"],
    ...["src/offline-model.mjs", "test/prompt.md", "test/prompt.test.mjs", "tools/dice.mjs"],
  ]

  /** The output of `init`, with the clone and its way of being built under names. */
  async function printed(...args: readonly string[]): Promise<readonly string[]> {
    const { code, stdout, stderr } = await run(["init", ...args])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
    return stderr
      .replaceAll(/file:[^)）]+/g, "CLONE")
      .split("\n")
      .filter((line) => !line.includes("npm run build"))
  }

  test("the files, the next steps and where promptstrata comes from", async () => {
    work()
    expect(await printed("my_luna", "--locale", "en")).toEqual([
      "Created 13 files in my_luna:",
      ...paths("my-luna", "en").map((path) => `  ${path}`),
      "",
      "Next steps:",
      "  cd my_luna",
      "  npm install  # needs Node.js 22.13 or newer",
      "  npm test     # compares the prompt with test/prompt.md",
      "  npm start    # starts a chat",
      "",
      "The character remembers: its memories are kept in the folder data, and `npx promptstrata memory list` prints them.",
      "",
      "package.json takes promptstrata from the clone that made it (CLONE), not from the npm registry. Keep the clone where it is, or change that line.",
      "",
    ])
    expect(readFileSync("my_luna/profiles/my-luna.toml", "utf8")).toContain('name = "My Luna"')
  })

  test("in Chinese, and into this folder", async () => {
    work()
    const lines = await printed(".", "--name", "Luna", "--locale", "zh-CN")
    expect(lines.slice(0, 2)).toEqual(["已在 . 中创建 13 个文件：", "  .gitignore"])
    expect(lines.slice(14, 20)).toEqual([
      "",
      "接下来：",
      "  npm install  # 需要 Node.js 22.13 或更新的版本",
      "  npm test     # 比较提示词与 test/prompt.md",
      "  npm start    # 开始聊天",
      "",
    ])
  })

  test("a step that builds the clone only until it is built", async () => {
    work()
    const { stderr } = await run(["init", "luna", "--locale", "en"])
    const build = /^ {2}npm run build --prefix (\S+) {4}# once: makes the files/m.exec(stderr)
    expect(build === null).toBe(existsSync(`${root}dist`))
  })
})

describe("init at a terminal", () => {
  test("asks only for what was not given, in the language that was", async () => {
    const folder = `${tempFolder()}/luna`
    const named = start(["init", "--name", "Sol", "--locale", "zh-CN"], { terminal: true })
    await named.shows("新角色的文件夹：")
    named.type(`  ${folder}  \n`)
    expect(await named.code).toBe(0)
    expect(named.written.stdout).not.toContain("角色的名字")
    expect(readFileSync(`${folder}/profiles/sol.toml`, "utf8")).toContain('name = "Sol"')
    const placed = start(["init", `${folder}-2`], { terminal: true })
    await placed.shows("Name of the character (Luna 2): ")
    placed.type(" Mia \n")
    expect(await placed.code).toBe(0)
    expect(placed.written.stdout).not.toContain("Folder for")
    expect(existsSync(`${folder}-2/profiles/mia.toml`)).toBe(true)
    const whole = start(["init", `${folder}-3`, "--name", "Tia"], { terminal: true })
    expect(await whole.code).toBe(0)
  })

  test("given no folder after all, says that it needs one", async () => {
    const asked = start(["init", "--name", "Sol"], { terminal: true })
    await asked.shows("Folder for the new character: ")
    asked.type(" \n")
    expect(await asked.code).toBe(2)
    expect(asked.written.stderr).toContain(
      "expected a folder for the new character, found none.\nFor example: promptstrata init luna",
    )
  })

  test.each(["\u0003", "\u0004"])("left with %j writes nothing, ends with 130 and lets the terminal go", async (key) => {
    const folder = work()
    const asked = start(["init"], { terminal: true })
    await asked.shows("Folder for the new character: ")
    asked.type(key)
    expect(await asked.code).toBe(130)
    expect([readdirSync(folder), asked.io.stdin.isPaused(), asked.io.stdin.listenerCount("keypress")]).toEqual([[], true, 0])
  })
})
