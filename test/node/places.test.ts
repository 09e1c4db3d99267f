import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { pathOf, personalFolder, personalWorkspace } from "../../src/node/documents/people.ts"
import { findText, promptsFolderOf } from "../../src/node/find-text.ts"
import { lastLineWithin, lineStarts } from "../../src/node/line-starts.ts"
import { findPackageEntry } from "../../src/node/plugins/load-plugin.ts"
import { displayPath, displaySearched, shippedProfilesFolder, shippedPromptsFolder } from "../../src/node/shipped-files.ts"
import { openFolder } from "../../src/node/workspace/open-workspace.ts"
import { endings } from "../support/endings.ts"
import { runs, seedOf } from "../support/size.ts"
import { tempFolder } from "../support/temp-folder.ts"

test("the lines of a text begin where others say they do", () => {
  const text = fc.array(fc.constantFrom("\n", "a", "\r\n", "好"), { maxLength: 20 }).map((parts) => parts.join(""))
  fc.assert(
    fc.property(text, fc.nat(25), (of, offset) => {
      const lines = of.replace(/\n$/, "").split("\n")
      const starts = lines.map((_, at) => lines.slice(0, at).join("\n").length + (at === 0 ? 0 : 1))
      expect(lineStarts(of)).toEqual(starts)
      expect(lastLineWithin(starts, offset)).toBe(starts.findLastIndex((start) => start <= offset))
    }),
    { numRuns: runs(500), seed: seedOf(92) },
  )
})

test("a package leads to the module that Node itself finds", () => {
  const files = ["index.js", "main.js", "lib/a.js", "lib/deep/a.js", "lib/a", "other/a.js", "a.js", "main/index.js"]
  const targets = fc.constantFrom("./main.js", "./lib/*.js", "./other/*.js", "./lib/*", "./*.js", "./lib/a.js")
  const keys = fc.constantFrom(".", "./a", "./*", "./deep/*", "./*.js", "./a*", "./lib/*")
  const exports = fc.oneof(fc.constant(undefined), fc.dictionary(keys, targets, { minKeys: 1, maxKeys: 4 }))
  const main = fc.constantFrom(undefined, "main", "main.js", "./main", "lib/deep", "nothing")
  const names = fc.constantFrom("pkg", "pkg/a", "pkg/a.js", "pkg/deep/a", "pkg/lib/a.js", "pkg/lib/a")
  fc.assert(
    fc.property(exports, main, names, (given, of, name) => {
      // Node keeps what it has read of a package, so each one is another.
      const own = packageIn(files, { exports: given, main: of })
      const found = findPackageEntry(name, [own])
      const path = "path" in found ? found.path : undefined
      const real = nodesOwn(own, name)
      // Without `exports`, `import` takes paths as they are, and `require` also tries endings.
      if (given === undefined && name !== "pkg") expect([undefined, real]).toContain(path)
      else if (real !== undefined) expect(path).toBe(real)
    }),
    { numRuns: runs(60), seed: seedOf(93) },
  )
})

/** A package with a manifest of its own, in a folder of its own. */
function packageIn(files: readonly string[], manifest: object): string {
  return tempFolder({
    ...Object.fromEntries(files.map((file) => [`node_modules/pkg/${file}`, ""])),
    "node_modules/pkg/package.json": JSON.stringify({ name: "pkg", ...manifest }),
  })
}

function nodesOwn(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, "x.js")).resolve(name)
  } catch {
    return undefined
  }
}

test("a path is shown as short as it can be, and the same on every machine", () => {
  const here = process.cwd()
  const shown = [
    join(shippedPromptsFolder, "a/b.md"),
    join(shippedProfilesFolder, "fay.toml"),
    join(here, "src/a.ts"),
    here,
    dirname(here),
    resolve("/etc/hosts"),
    shippedPromptsFolder,
  ]
  expect(
    shown.map((path) =>
      [displayPath(path), displaySearched(path)].map((text) =>
        text.replaceAll(dirname(here), "~").replaceAll(here.split("/").at(-1) ?? "", "HERE"),
      ),
    ),
  ).toEqual([
    ["a/b.md", "prompts/a/b.md (shipped)"],
    ["profiles/fay.toml", "profiles/fay.toml (shipped)"],
    ["src/a.ts", "src/a.ts"],
    ["~/HERE", "~/HERE"],
    ["~", "~"],
    ["/etc/hosts", "/etc/hosts"],
    ["prompts", "prompts"],
  ])
  expect(["/a/profiles/x.toml", "/a/x.toml", "/a/profiles/deep/x.toml"].map(promptsFolderOf)).toEqual([
    "/a/prompts",
    "/a/prompts",
    "/a/profiles/deep/prompts",
  ])
})

test("a text is found by its name in each language, or by its path, and the first place counts", async () => {
  const folder = tempFolder({
    "own/characters/en/mei.md": "",
    "own/characters/mei.txt": "",
    "own/characters/zh-CN/lu.txt": "",
    "own/characters/any.md": "",
    "second/characters/en/mei.md": "",
    "beside.md": "",
    "own/deep/x.md": "",
    "own/characters/en/sub/x.md": "",
  })
  const find =
    (reference: string, locale = "en") =>
    () => {
      const promptFolders = [join(folder, "own"), join(folder, "second")]
      const found = findText(reference, { kind: "characters", locale, folder, promptFolders })
      return "path" in found ? displaySearched(found.path) : [...found.searched, `known: ${found.known.join(", ")}`].join("\n")
    }
  const tasks = {
    "a name": find("mei"),
    "a name in another language": find("mei", "fr"),
    "a name of a fallback language": find("lu"),
    "a name of no language": find("any", "zh-CN"),
    "a shipped name": find("fay"),
    "a path beside": find("./beside.md"),
    "a path in a prompts folder": find("deep/x.md"),
    "a file name": find("beside.md"),
    "a name that nobody has": find("nobody"),
    "a path that is not there": find("no/body"),
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/places.txt")
})

test("each person's documents lie in a folder of their own, and nobody sees those of others", async () => {
  const key = (user: string, audience: "private" | "group" = "private") => ({ user, conversation: user, audience })
  const names = ["user", "ann", "a_1", "Ann", "ann!", "张三", "", "x".repeat(40), "x".repeat(41), "../up", "con"]
  const folders = names.flatMap((name) => [personalFolder(key(name)), personalFolder(key(name, "group"))])
  expect(new Set(folders).size).toBe(folders.length)
  expect([pathOf("soul", key("ann")), pathOf("user", key("ann")), pathOf("memory", key("user"))]).toEqual([
    "SOUL.md",
    "people/ann/USER.md",
    "MEMORY.md",
  ])
  const folder = tempFolder({
    "SOUL.md": "I am kind, says everybody.\n",
    "USER.md": "the only user\n",
    "MEMORY.md": "of the only user\n",
    "notes/a.md": "a note for everybody\n",
    "people/ann/USER.md": "Ann\n",
    "people/ann/MEMORY.md": "Ann's memory\n",
    "people/bob/USER.md": "Bob's secret\n",
    "groups/g/MEMORY.md": "a group's secret\n",
  })
  const workspace = await openFolder(folder)
  const told = (own: ReturnType<typeof personalWorkspace>) => ({
    ...Object.fromEntries(
      [
        "SOUL.md",
        "USER.md",
        "memory.md",
        "notes/a.md",
        "people/bob/USER.md",
        "PEOPLE/ann/USER.md",
        "groups/g/MEMORY.md",
        "./people/ann/USER.md",
      ].flatMap((path) => [
        [`read ${path}`, async () => (await own.read(path)).text.trim()],
        [`stat ${path}`, async () => JSON.stringify((await own.stat(path))?.path)],
      ]),
    ),
    "the list": async () => (await own.list()).entries.map(({ path }) => path),
    "the list of notes": async () => (await own.list("notes")).entries.map(({ path }) => path),
    "the list of people": async () => (await own.list("people")).entries,
    "a search": async () => (await own.search("e")).matches.map(({ path, line }) => `${path}:${line}`),
    "a search with a limit": async () => {
      const { matches, truncated } = await own.search("e", { limit: 2 })
      return [matches.length, truncated]
    },
    "a search in one file": async () => (await own.search("memory", { path: "MEMORY.md" })).matches.map(({ path }) => path),
    "a write": async () => (await own.write("USER.md", "new\n", { by: "t" })).path,
    "a write elsewhere": async () => (await own.write("people/bob/USER.md", "x", { by: "t" })).path,
    "a name": () => own.resolve("user.md"),
  })
  const of = (person: string) => endings(told(personalWorkspace(workspace, personalFolder(key(person)))), folder)
  await expect(`Ann:\n${await of("ann")}\nThe only user:\n${await of("user")}`).toMatchFileSnapshot("__snapshots__/people.txt")
})
