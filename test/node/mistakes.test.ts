import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readWholeText } from "../../src/node/authored-text.ts"
import { characterPlugin, checkTraits } from "../../src/node/character/character-plugin.ts"
import { readWorldBook } from "../../src/node/character/read-world-book.ts"
import { parseRecord } from "../../src/node/documents/learned-record.ts"
import { parseFrontMatter, readYamlMapping } from "../../src/node/front-matter.ts"
import { loadPersona } from "../../src/node/load-persona.ts"
import { fileLoader, loadPrompts, readPrompt } from "../../src/node/load-prompts.ts"
import { checkPlugin } from "../../src/node/plugins/check-plugin.ts"
import { loadPlugins } from "../../src/node/plugins/load-plugins.ts"
import { readTextFile } from "../../src/node/read-text-file.ts"
import { parseSchedule } from "../../src/node/schedule-file.ts"
import { endings } from "../support/endings.ts"
import { tempFolder } from "../support/temp-folder.ts"

test("front matter that is no plain data is told with its place", async () => {
  const parse = (text: string) => () => parseFrontMatter(text, "a.md")
  const yaml = (block: string) => () => readYamlMapping(block, { file: "a.md", whole: `---\n${block}\n---\n`, offset: 4 })
  const tasks = {
    "another engine": parse("--- js\na: 1\n---\n"),
    "an engine that does not end": parse("---yaml\na: 1\n"),
    "the most characters": async () => Object.keys((await parse(`---\n#${"x".repeat(16_383)}\n---\n`)()).attributes).length,
    "one character more": () => parse(`---\n#${"x".repeat(16_384)}\n---\n`)(),
    "a list": yaml("- a\n- b"),
    "a word": yaml("\nword"),
    "a key twice": yaml("a: 1\na: 2"),
    "a bad indentation": yaml("a: 1\n  b: 2"),
    "a tag": yaml("a: !!js/function 'x'"),
    "a key that is a list": yaml("? [a, b]\n: 1"),
    "the key of a prototype": yaml("a:\n  __proto__: 1"),
    "an alias in itself": yaml("a: &x [*x]"),
    "a hundred aliases": () => Object.keys(yaml(`a: &x [1]\nb: [${Array(99).fill("*x").join(", ")}]`)()),
    "more aliases": () =>
      yaml(`a: &x [1]\nb: &y [${Array(20).fill("*x").join(", ")}]\nc: [${Array(20).fill("*y").join(", ")}]`)(),
    "an alias of nothing": yaml("a: *x"),
    nothing: yaml("# nothing"),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/front-matter.txt")
})

test("a file that cannot be used is told with what it should be", async () => {
  const schedule = { version: 1, nextId: 2, items: [{ id: 1, title: "a", scheduleTime: "now", createdAt: "then" }] }
  const folder = tempFolder({
    "a.md": "---\nnmae: Mei\n---\nText.",
    "b.md": "---\nname: [a, b]\n---\nText.",
    "c.md": "---\nname: ' '\nemotions: [happy, 3]\n---\nText.",
    "d.md": "---\nanything: 1\n---\nText.",
    "latin.txt": Buffer.from("caf\xe9, cr\xe8me", "latin1"),
    "cut.txt": Buffer.from("好").subarray(0, 2),
    "wide.txt": Buffer.from("\ufeffabc", "utf16le"),
    "prompts/a.md": "A",
    "inner/b.md": "B",
  })
  symlinkSync(join(folder, "inner/b.md"), join(folder, "prompts/away.md"))
  const whole =
    (name: string, attributes: readonly string[], lists: readonly string[] = []) =>
    () =>
      readWholeText(join(folder, name), { kind: "persona", attributes, lists }).attributes
  const at = (path: string) => join(folder, path)
  const load =
    (path: string, roots: readonly string[] = [at("prompts")]) =>
    () =>
      fileLoader({ roots })(path, { file: at("prompts/a.md") } as never).text
  const plan = (change: object) => () => parseSchedule(JSON.stringify({ ...schedule, ...change }), "plan.json").items.length
  const tasks = {
    "an unknown key": whole("a.md", ["name"]),
    "an unknown key beside three": whole("a.md", ["name", "user", "colour"]),
    "keys where none are": whole("d.md", []),
    "a list in place of a line": whole("b.md", ["name"]),
    "a blank line": whole("c.md", ["name"], ["emotions"]),
    "a list with a number": whole("c.md", [], ["name", "emotions"]),
    "as large as may be": () => readTextFile(at("a.md"), "a.md", { maxBytes: 23 }).length,
    "larger than may be": () => readTextFile(at("a.md"), "a.md", { maxBytes: 22, kind: "persona" }),
    "a folder": () => readTextFile(folder, "a folder"),
    "no file": () => readTextFile(at("none"), "none", { kind: "persona" }),
    "a file below a file": () => readTextFile(at("a.md/none"), "none"),
    "another encoding": () => readTextFile(at("latin.txt"), "latin.txt"),
    "half of a character": () => readTextFile(at("cut.txt"), "cut.txt"),
    "UTF-16": () => readTextFile(at("wide.txt"), "wide.txt"),
    "a folder of prompts": () => loadPrompts(at("prompts"), { shownAs: "p" }).map(({ path, body }) => `${path}: ${body}`),
    "no folder of prompts": () => loadPrompts(at("nowhere")),
    "a file in place of the folder": () => loadPrompts(at("a.md")),
    "a prompt": () => readPrompt(at("inner/b.md"), "b.md"),
    "a prompt that is there": load("a.md"),
    "a prompt that is not there": load("c.md", [at("prompts"), at("inner")]),
    "a prompt outside": load("../inner/b.md"),
    "a link that leads outside": load("away.md"),
    "a prompt in no folder": load("c.md", []),
    "a persona that nobody wrote": () => loadPersona("fya", { promptFolders: [at("prompts")] }),
    "an unknown option": () => loadPersona("fay", { prompts: [] } as object),
    "a schedule": plan({}),
    "a schedule whose ids repeat": plan({ items: [...schedule.items, ...schedule.items] }),
    "a schedule whose next id is taken": plan({ nextId: 1 }),
    "a schedule of another version": plan({ version: 2 }),
    "a schedule with another key": plan({ items: [{ ...schedule.items[0], when: "x" }] }),
    "half of a schedule": () => parseSchedule("{", "plan.json"),
    "no schedule": () => parseSchedule(undefined, "plan.json"),
    "a record of a newer version": () => parseRecord('{"version":2}'),
    "a record of an older form": () => String(parseRecord('{"version":1,"lines":[]}')),
    "half of a record": () => String(parseRecord("{")),
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/files.txt")
})

test("a plugin that is none is told with what it should have", async () => {
  const told = (value: unknown) => () => {
    const outcome = checkPlugin(value, "mood.mjs")
    return "problem" in outcome ? outcome.problem.message : outcome.plugin
  }
  const plugin = (parts: object) => told({ name: "mood", ...parts })
  const skill = { name: "calm", description: "d", content: "Be calm." }
  const forms: Readonly<Record<string, () => unknown>> = {
    nothing: told(undefined),
    null: told(null),
    "a number": told(7),
    "a list": told([]),
    "a text of 40 characters": told("x".repeat(40)),
    "a text of 41 characters": told("x".repeat(41)),
    "no name": told({ hooks: [] }),
    "a blank name": told({ name: " ", hooks: [] }),
    "no parts": plugin({}),
    "a misspelt part": plugin({ tool: [] }),
    "a hook's function": plugin({ beforeTurn() {} }),
    "a misspelt function": plugin({ hooks: [], clos() {} }),
    "a method of its own": plugin({ hooks: [], describe() {} }),
    "an unknown value": plugin({ hooks: [], settings: {} }),
    "a list that is none": plugin({ tools: {} }),
    "an item that is none": plugin({ hooks: [null] }),
    "an item that is a text": plugin({ hooks: ["h"] }),
    "a tool without a description": plugin({ tools: [{ name: "t" }] }),
    "a whole skill": plugin({ skills: [{ ...skill, path: "a.md" }] }),
    "a skill of an object": plugin({ skills: [{ ...skill, content: { text: "T", trust: "tool" }, mode: "inline" }] }),
    "a skill without a name": plugin({ skills: [{ ...skill, name: undefined }] }),
    "a skill with a number as name": plugin({ skills: [{ ...skill, name: 3 }] }),
    "a skill without a description": plugin({ skills: [{ ...skill, description: " " }] }),
    "a skill without content": plugin({ skills: [{ ...skill, content: "\n" }] }),
    "a skill of another mode": plugin({ skills: [{ ...skill, mode: "in line" }] }),
    "a skill with a wrong path": plugin({ skills: [{ ...skill, path: 1 }] }),
    "a hook without functions": plugin({ hooks: [{ name: "h" }] }),
    "a hook with a wrong function": plugin({ hooks: [{ name: "h", afterTurn: 1 }] }),
    "a format without a reader": plugin({ formats: [{ name: "f" }] }),
    "an observer without its function": plugin({ observers: [{ name: "o", observe: {} }] }),
    "a job without a kind": plugin({ jobs: [{ name: "j", run() {} }] }),
    "a job without its function": plugin({ jobs: [{ kind: "j" }] }),
    variables: plugin({ variables: { a: "x" } }),
    "variables that are a list": plugin({ variables: ["x"] }),
    "a variable that is a number": plugin({ variables: { a: 1 } }),
    "a close that is no function": plugin({ hooks: [], close: true }),
  }
  const hook = "hooks: [{ name: 'h', beforeTurn() {} }]"
  const folder = tempFolder({
    "mood.mjs": `export const plugin = { name: "mood", ${hook} }`,
    "twin.mjs": `export const plugin = { name: "mood", ${hook} }`,
    "hooked.mjs": `export const plugin = { name: "other", ${hook} }`,
    "plain.mjs": "export const pluign = 1",
    "empty.mjs": "",
    "throws.mjs": "export const plugin = () => {\n  throw new Error('no key')\n}",
    "folder.mjs/a.txt": "",
    "bare.js": "export default {}",
    "node_modules/broken/package.json": "{",
    "node_modules/shut/package.json": '{"exports":{"./other":"./a.js"}}',
  })
  const load =
    (...enabled: string[]) =>
    async () =>
      (await loadPlugins(enabled, { folder })).map(({ name }) => name)
  const modules = {
    "one of them": load("./mood.mjs", "memory"),
    "two of one name": load("./mood.mjs", "./twin.mjs"),
    "two hooks of one name": load("./mood.mjs", "./hooked.mjs"),
    "the same twice": load("./mood.mjs", "./mood.mjs"),
    "another export": load("./plain.mjs"),
    "no export": load("./empty.mjs"),
    "a function that throws": load("./throws.mjs"),
    "a folder": load("./folder.mjs"),
    "a misspelt file": load("./moood.mjs"),
    "a file without its path": load("bare"),
    "a package that cannot be read": load("broken"),
    "a package without that module": load("shut"),
    "a part of a package": load("shut/more"),
    "an unknown option": () => loadPlugins([], { folders: [] } as object),
  }
  const text = await endings({ ...forms, ...modules }, folder)
  // Where packages are looked for depends on the folder of the machine.
  await expect(text.replaceAll(/^ {2}.*node_modules\n/gm, "")).toMatchFileSnapshot("__snapshots__/plugins.txt")
})

test("a character and a world book that cannot be used are told with what they may have", async () => {
  const entry = (front: string, body = "Text.") => `---\n${front}\n---\n${body}\n`
  const books: Readonly<Record<string, string>> = {
    "no entry": "Text.",
    "text before the first entry": `Text.\n${entry("keys: [a]")}`,
    "front matter that does not end": "---\nkeys: [a]\nText.",
    "front matter of the most characters": entry(`keys: [a]\n#${"x".repeat(16_373)}`),
    "front matter of one more": entry(`keys: [a]\n#${"x".repeat(16_374)}`),
    "the second one without text": `${entry("keys: [a]")}${entry("keys: [b]", "")}`,
    "neither keys nor always": entry("title: A"),
    "keys that are a word": entry("keys: cat"),
    "a key of 100 letters": entry(`keys: [${"k".repeat(100)}]`),
    "a key of 101 letters": entry(`keys: [${"k".repeat(101)}]`),
    "a pattern that cannot be searched for": entry("keys: ['/(a/']"),
    "another key": entry("keys: [a]\ntitel: A"),
    "a title of two lines": entry('keys: [a]\ntitle: "a\\nb"'),
    "a group that is a number": entry("keys: [a]\ngroup: 3"),
    "a flag that is a word": entry("keys: [a]\nalways: maybe"),
    "a priority that is a word": entry("keys: [a]\npriority: high"),
    "the largest probability": entry("keys: [a]\nprobability: 100"),
    "a larger probability": entry("keys: [a]\nprobability: 101"),
    "a negative depth": entry("keys: [a]\ndepth: -1"),
    "a logic that nobody knows": entry("keys: [a]\nlogic: xor"),
    "a role that nobody has": entry("keys: [a]\ndepth: 1\nrole: tool"),
    "a position and a depth": entry("keys: [a]\ndepth: 1\nposition: note"),
    "a position that nobody knows": entry("keys: [a]\nposition: top"),
    "an outlet": entry("keys: [a]\nposition: outlet weather"),
    "an outlet with a long name": entry(`keys: [a]\nposition: outlet ${"w".repeat(41)}`),
    "every key": entry(
      "keys: [cat, 7, /dog/i]\nsecondary_keys: [b]\nlogic: not_all\nexcluded_keys: [c]\ntitle: T\npriority: 5\ngroup: a, b ,\n" +
        "group_weight: 2\ngroup_override: true\ncase_sensitive: true\nscan_depth: 3\nprobability: 50\nsticky: 1\ncooldown: 2\n" +
        "delay: 3\nexclude_recursion: true\nprevent_recursion: true\ndelay_until_recursion: 1\ndepth: 4\nrole: user",
    ),
  }
  const names = Object.keys(books).map((name, at) => [name, `${at}.md`] as const)
  const folder = tempFolder({
    ...Object.fromEntries(names.map(([name, file]) => [file, books[name] ?? ""])),
    "empty/readme.txt": "",
    "many.md": entry("keys: [a]").repeat(5_001),
    "most.md": entry("keys: [a]").repeat(5_000),
    "sheet.md": "---\nmood: calm\nMood: wild\n---\n",
    "state.md": "---\nmood: calm\n---\nNote.",
    "placed.md": entry("keys: [a]\nposition: note"),
  })
  const book = ([name, file]: readonly [string, string]) =>
    [name, () => readWorldBook(join(folder, file)).map(({ text, ...rest }) => ({ ...rest, text: text.text }))] as const
  const character = (options: object) => () =>
    characterPlugin(options as Record<string, unknown>, { locale: "en", folder, promptFolders: [] }).name
  const traits = (given: object) => () => checkTraits(given as Record<string, unknown>)
  const tasks = {
    ...Object.fromEntries(names.map(book)),
    "a folder without entries": () => readWorldBook(join(folder, "empty")),
    "the most entries": () => readWorldBook(join(folder, "most.md")).length,
    "too many entries": () => readWorldBook(join(folder, "many.md")),
    "a character of files": character({ state: "./state.md", relationship: { trust: 3 }, world_book: false }),
    "a character with an unknown option": character({ sate: "x", other: 1 }),
    "a character with wrong options": character({
      ...{ state: 3, reaction_plan: true, world_book_entries: 0, world_book_characters: 100_001 },
      ...{ world_book_messages: -1, world_book_recursive: "yes" },
    }),
    "a state that is not there": character({ state: "nobody" }),
    "a state with a name twice": character({ state: "./sheet.md" }),
    "a relationship with a wrong value": character({ relationship: { trust: [] } }),
    "a world book with a place": character({ world_book: "./placed.md" }),
    "a trait of two lines": traits({ "a\nb": "x" }),
    "a blank trait": traits({ " ": "x" }),
    "a value of 500 characters": () => Object.keys(traits({ a: "x".repeat(500) })()),
    "a value of 501 characters": traits({ a: "x".repeat(501) }),
    "flags and numbers": traits({ a: true, b: 0.5, " c ": " d " }),
  }
  const text = await endings(tasks, folder)
  await expect(text.replaceAll(/x{90,}/g, "xxx…")).toMatchFileSnapshot("__snapshots__/character.txt")
})
