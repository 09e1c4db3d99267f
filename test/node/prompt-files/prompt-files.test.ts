import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, onTestFinished, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { readCard } from "../../../src/node/cards/card-file.ts"
import { filesOfCard } from "../../../src/node/cards/card-folder.ts"
import { watchProfile } from "../../../src/node/profile/watch-profile.ts"
import { shippedPromptsFolder } from "../../../src/node/shipped-files.ts"
import { manualClock, scriptedModel } from "../../../src/testing/index.ts"
import { runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const persona = "---\nname: Luna\n---\nYou are calm.\n"
const own = {
  "profiles/luna.toml": '[prompt]\ndialect = "layered"\npersona = "luna"\n',
  "prompts/characters/en/luna.md": persona,
}

/** A prompt with one rule more. */
const quiet = (prompt: string) => prompt.replace(/^(\$\{role\(system\)\})$/mu, "$1\nNever shout.")

/** A profile in a folder of its own, which is the process's. */
async function opened(files: Readonly<Record<string, string>>, name: string) {
  const folder = tempFolder(files)
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
  const watch = await watchProfile(name, {
    locale: "en",
    clock: manualClock(),
    onWarning: () => undefined,
    onProblem: () => undefined,
  })
  const at = (path: string) => join(folder, path)
  const text = (path: string) => readFileSync(at(path), "utf8")
  const sent = async (profile = watch.current()) => {
    const agent = createAgent({ profile: await profile, model: scriptedModel([]) })
    const { messages } = await agent.session("test").preview("Hello")
    return messages.map(({ content }) => content).join("\n")
  }
  return { folder, watch, files: watch.promptFiles, at, text, sent }
}

describe("the files of a profile", () => {
  test("are those that it reads, each with the place in which it is saved", async () => {
    const { files } = await opened(own, "luna")
    const found = await files.list()
    expect(found.filter(({ isShipped }) => !isShipped)).toEqual([
      { path: "profiles/luna.toml", kind: "profile", isShipped: false, savedAs: "profiles/luna.toml", refusal: undefined },
      {
        ...{ path: "prompts/characters/en/luna.md", kind: "persona", isShipped: false },
        ...{ savedAs: "prompts/characters/en/luna.md", refusal: undefined },
      },
    ])
    expect(found.find(({ path }) => path === "layered/en/planner.md")).toEqual({
      ...{ path: "layered/en/planner.md", kind: "prompt", isShipped: true },
      ...{ savedAs: "prompts/layered/en/planner.md", refusal: undefined },
    })
    expect(new Set(found.map(({ path }) => path)).size).toBe(found.length)
  })

  test("are those that a person writes: of an imported card its texts, and not its JSON", async () => {
    const card = readCard(Buffer.from(JSON.stringify({ name: "Mei", description: "Calm.", first_mes: "Hi." })))
    const parts = [...filesOfCard(card)].map(([path, text]) => [`prompts/characters/mei/${path}`, String(text)])
    const profile =
      'locale = "en"\n[prompt]\ndialect = "tavern"\nfolder = "../prompts"\npersona = "characters/mei/card.parts.json"\n'
    const { files } = await opened({ ...Object.fromEntries(parts), "profiles/mei.toml": profile }, "mei")
    const paths = (await files.list()).map(({ path }) => path)
    expect(paths.filter((path) => path.startsWith("prompts/characters/")).sort()).toEqual([
      "prompts/characters/mei/description.md",
      "prompts/characters/mei/first_mes.md",
    ])
    await expect(files.read("prompts/characters/mei/card.parts.json")).rejects.toThrow("card.parts.json")
  })

  test("load with other texts, and with mistakes in their place, and nothing is written", async () => {
    const { files, folder, sent } = await opened(own, "luna")
    const tree = readdirSync(folder, { recursive: true })
    const path = "prompts/characters/en/luna.md"
    const planner = await files.read("layered/en/planner.md")
    const edited = { [path]: "You are wild.", "layered/en/planner.md": quiet(planner.text) }
    expect(await sent(files.load({ files: edited }))).toMatch(/Never shout\.[\s\S]*You are wild\./u)
    expect(await sent()).not.toContain("wild")
    await expect(files.load({ files: { "profiles/luna.toml": "[prompt]\ndialct = 1" } })).rejects.toMatchObject({
      code: "profile",
      source: { file: "profiles/luna.toml", line: 2, column: 1 },
    })
    await expect(files.load({ files: { "layered/en/planner.md": `${planner.text}\${file_load(` } })).rejects.toMatchObject({
      code: "template",
      source: { file: "layered/en/planner.md" },
    })
    await expect(files.load({ files: { [path]: "x".repeat(300_000) } })).rejects.toMatchObject({ code: "file" })
    await expect(files.load({ files: { "/etc/passwd": "" } })).rejects.toMatchObject({ code: "file-missing" })
    expect(readdirSync(folder, { recursive: true })).toEqual(tree)
  })

  test("are saved once they are as they were read; undo restores them byte for byte, also after a restart", async () => {
    const { files, text, at, sent } = await opened(own, "luna")
    const path = "prompts/characters/en/luna.md"
    const { hash, canUndo } = await files.read(path)
    expect(canUndo).toBe(false)
    expect(await files.save(path, "You are wild.\r\n", { hash })).toEqual({ path, written: [path] })
    expect(text(path)).toBe("You are wild.\r\n")
    expect(await sent()).toContain("You are wild.")
    await expect(files.save(path, "Lost.", { hash })).rejects.toMatchObject({ code: "file-conflict" })
    const later = (await watchProfile("luna", { locale: "en", onWarning: () => undefined })).promptFiles
    await later.list()
    expect((await later.read(path)).canUndo).toBe(true)
    expect(await later.undo(path)).toEqual({ path, written: [path] })
    expect(text(path)).toBe(persona)
    await later.undo(path)
    expect(text(path)).toBe("You are wild.\r\n")
    writeFileSync(at(path), "By hand.")
    expect((await later.read(path)).canUndo).toBe(false)
    await expect(later.undo(path)).rejects.toMatchObject({ code: "file-conflict" })
  })

  test("of a broken profile can still be mended", async () => {
    const { files, at, text } = await opened(own, "luna")
    await files.list()
    writeFileSync(at("profiles/luna.toml"), "[prompt\n")
    expect((await files.list()).map(({ path }) => path)).toContain("profiles/luna.toml")
    const { hash } = await files.read("profiles/luna.toml")
    await files.save("profiles/luna.toml", own["profiles/luna.toml"], { hash })
    expect(text("profiles/luna.toml")).toBe(own["profiles/luna.toml"])
  })

  test("are as before after any saves and as many undos", async () => {
    const path = "prompts/characters/en/luna.md"
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), async (words) => {
        const { files, text } = await opened(own, "luna")
        const { hash } = await files.read(path)
        const next = `x${words.replaceAll("\0", "").toWellFormed()}`
        await files.save(path, next, { hash })
        expect((await files.read(path)).text).toBe(next)
        await files.undo(path)
        expect(text(path)).toBe(persona)
        expect((await files.read(path)).hash).toBe(hash)
      }),
      { numRuns: runs(5), seed: seedOf(20) },
    )
  })
})

describe("a shipped file", () => {
  test("of a shipped profile is copied beside a profile of the same name; undo takes both away", async () => {
    const { files, text, at, sent, watch } = await opened({}, "fay")
    const before = await sent()
    const shipped = readFileSync(join(shippedPromptsFolder, "characters/en/fay.md"), "utf8")
    const { hash, text: read } = await files.read("characters/en/fay.md")
    expect(read).toBe(shipped)
    const saved = await files.save("characters/en/fay.md", "You are wild.", { hash })
    expect(saved).toEqual({
      path: "prompts/characters/en/fay.md",
      written: ["prompts/characters/en/fay.md", "profiles/fay.toml"],
    })
    expect(text("profiles/fay.toml")).toBe('extends = "fay"\n\n[prompt]\nfolder = "../prompts" # copies of shipped prompts\n')
    expect(readFileSync(join(shippedPromptsFolder, "characters/en/fay.md"), "utf8")).toBe(shipped)
    expect(await sent()).toContain("You are wild.")
    const planner = await files.read("fay/en/planner.md")
    await files.save("fay/en/planner.md", quiet(planner.text), planner)
    expect(await sent()).toMatch(/Never shout\./u)
    await files.undo("prompts/fay/en/planner.md")
    expect(existsSync(at("profiles/fay.toml"))).toBe(true)
    expect(await files.undo(saved.path)).toEqual({ path: "characters/en/fay.md", written: saved.written })
    expect([existsSync(at("profiles/fay.toml")), existsSync(at(saved.path))]).toEqual([false, false])
    expect(await sent()).toBe(before)
    expect(watch.problem).toBeUndefined()
  })

  test("of a profile of one's own is copied into its prompts folder, which it then names", async () => {
    const { files, text, sent } = await opened(own, "luna")
    const planner = await files.read("layered/en/planner.md")
    await files.save("layered/en/planner.md", quiet(planner.text), planner)
    expect(text("profiles/luna.toml")).toContain('[prompt]\nfolder = "../prompts" # copies of shipped prompts\ndialect')
    expect(await sent()).toContain("Never shout.")
    await files.undo("prompts/layered/en/planner.md")
    expect(text("profiles/luna.toml")).toBe(own["profiles/luna.toml"])
  })

  test("that is a profile becomes one of one's own", async () => {
    const { files, text, sent } = await opened({}, "fay")
    const profile = await files.read("profiles/fay.toml")
    const changed = profile.text.replace('dialect = "fay"', 'dialect = "layered"')
    expect(await files.save("profiles/fay.toml", changed, profile)).toEqual({
      path: "profiles/fay.toml",
      written: ["profiles/fay.toml"],
    })
    expect(text("profiles/fay.toml")).toBe(changed)
    expect(await sent()).toContain("gentle")
  })

  test("is not copied where the profile would not read the copy, or the package is the folder", async () => {
    const { files } = await opened({ "profiles/luna.toml": 'extends = "fay"\n' }, "luna")
    expect((await files.list()).find(({ path }) => path === "profiles/fay.toml")?.refusal).toContain("profiles/luna.toml")
    const { text, hash } = await files.read("profiles/fay.toml")
    await expect(files.save("profiles/fay.toml", `${text}\n`, { hash })).rejects.toMatchObject({ code: "file-outside" })
    process.chdir(join(shippedPromptsFolder, ".."))
    const clone = (await watchProfile("fay", { locale: "en" })).promptFiles
    expect((await clone.list()).filter(({ savedAs }) => savedAs !== undefined)).toEqual([])
  })
})

describe("a file outside of the profile's folder", () => {
  test("is not written, whether by its path, a link, or a link to its folder", async () => {
    const outside = tempFolder({ "bad.md": persona, "en/linked.md": persona })
    const files = {
      ...own,
      "profiles/luna.toml": `[prompt]\ndialect = "layered"\npersona = ${JSON.stringify(join(outside, "bad.md"))}\n`,
      "profiles/link.toml": '[prompt]\ndialect = "layered"\npersona = "./link.md"\n',
      "profiles/linked.toml": '[prompt]\ndialect = "layered"\npersona = "../prompts/far/linked.md"\n',
    }
    const { files: named, folder } = await opened(files, "luna")
    symlinkSync(join(outside, "bad.md"), join(folder, "profiles/link.md"))
    symlinkSync(join(outside, "en"), join(folder, "prompts/far"))
    const all = [named]
    for (const name of ["link", "linked"]) all.push((await watchProfile(name, { locale: "en" })).promptFiles)
    for (const each of all) {
      const file = (await each.list()).find(({ kind }) => kind === "persona")
      expect(file?.refusal).toContain("outside of")
      const { hash, canUndo } = await each.read(file?.path ?? "")
      expect(canUndo).toBe(false)
      await expect(each.save(file?.path ?? "", "Bad.", { hash })).rejects.toMatchObject({ code: "file-outside" })
      await expect(each.undo(file?.path ?? "")).rejects.toMatchObject({ code: "file-outside" })
    }
    expect([readFileSync(join(outside, "bad.md"), "utf8"), readFileSync(join(outside, "en/linked.md"), "utf8")]).toEqual([
      persona,
      persona,
    ])
    for (const path of ["../x.md", "/etc/passwd", "prompts/../profiles/luna.toml", "profiles\\luna.toml"])
      await expect(named.read(path)).rejects.toMatchObject({ code: "file-missing" })
  })
})
