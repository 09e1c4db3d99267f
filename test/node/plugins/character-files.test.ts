import { describe, expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { readWorldBook } from "../../../src/node/character/read-world-book.ts"
import { FileLog, withFileLog } from "../../../src/node/file-log.ts"
import { loadPlugins } from "../../../src/node/plugins/load-plugins.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { near } from "../../support/error-formulas.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const load = (folder: string, character: Readonly<Record<string, unknown>>) =>
  loadPlugins(["character"], { folder, promptFolders: [`${folder}/prompts`], options: { character } })

/** The error message of loading, without the path of the test's folder. */
async function fault(files: Readonly<Record<string, string>>, character: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = tempFolder(files)
  const error: unknown = await load(folder, character).then(
    () => new Error("it loads"),
    (thrown: unknown) => thrown,
  )
  return String(error).replaceAll(`${folder}/`, "")
}

const book = (text: string) => fault({ "world.md": text }, { world_book: "world.md" })

describe("the files of the plugin character", () => {
  test("are found by a character's name in the locale's folder, beside the profile by path, or in the shipped prompts", async () => {
    const folder = tempFolder({
      "prompts/characters/en/mei/state.md": "---\nmood: merry\n---\n",
      "prompts/characters/mei/relationship.md": "---\ntrust: 10\n---\n",
      "plans/mei.md": "Smile first.",
    })
    const [plugin] = await load(folder, { state: "mei", relationship: "mei", reaction_plan: "plans/mei.md", world_book: "fay" })
    expect(plugin).toMatchObject({ name: "character", hooks: [{ name: "character" }] })
  })

  test("belong to the persona, unless they are named: a profile of another persona shows nothing of Fay", async () => {
    const profileOf = async (files: Readonly<Record<string, string>>, more: string) => {
      const path = `${tempFolder({ ...files, "profiles/sera.toml": `extends = "stack"\nlocale = "en"\n${more}` })}/profiles/sera.toml`
      const profile = await loadProfile(path)
      const agent = createAgent({ profile, model: scriptedModel([]) })
      const { messages } = await agent.session("test").preview("Where is the cat, and who are you?")
      return messages.map(({ content }) => content).join("\n")
    }
    const persona = "---\nname: Seraphina\n---\nYou are Seraphina.\n"
    const state = "---\nplace: the glade\n---\n"
    const named = '[prompt]\npersona = "seraphina"\n'
    const alone = await profileOf({ "prompts/characters/en/seraphina.md": persona }, named)
    expect(alone).toContain("You are Seraphina.")
    expect(alone).not.toMatch(/Fay|bookshop|Momo|runtime_state|relationship|update_state/)
    const places = [
      "prompts/characters/en/seraphina.md prompts/characters/en/seraphina/state.md",
      "prompts/characters/seraphina.md prompts/characters/en/seraphina/state.md",
      "prompts/characters/en/seraphina.md prompts/characters/seraphina/state.md",
    ]
    for (const [at = "", beside = ""] of places.map((place) => place.split(" "))) {
      const prompt = await profileOf({ [at]: persona, [beside]: state }, named)
      expect(prompt).toContain("place: the glade")
      expect(prompt).not.toMatch(/Fay|bookshop/)
    }
    const byPath = { "profiles/seraphina.md": persona, "profiles/seraphina/state.md": state }
    expect(await profileOf(byPath, '[prompt]\npersona = "./seraphina.md"\n')).toContain("place: the glade")
    const off = `${named}[plugins.options.character]\nstate = false\nworld_book = "fay"\n`
    const chosen = await profileOf(
      { "prompts/characters/en/seraphina.md": persona, "prompts/characters/en/seraphina/state.md": state },
      off,
    )
    expect([chosen.includes("the glade"), chosen.includes("Momo")]).toEqual([false, true])
  })

  test("that are not there are named with where they were looked for and what there is instead", async () => {
    const message = await fault({ "prompts/characters/en/mei/state.md": "---\nmood: merry\n---\n" }, { state: "mai" })
    expect(message).toContain(`"character": state: expected a file, found none called "mai".${near("mei")}`)
    expect(message).toContain("prompts/characters/en/mai/state.md")
  })

  test("options that are unknown or of another kind are all named", async () => {
    const message = await fault({}, { sate: "fay", relationship: 3, world_book_entries: 0, state: { mood: ["calm"] } })
    expect(message).toContain(`unknown option "sate" of the plugin "character".${near("state")}`)
    expect(message).toContain(
      "relationship: expected a character's name, a file, false, or a table of names and values, found 3.",
    )
    expect(message).toContain("world_book_entries: expected a whole number from 1 to 100, found 0.")
  })

  test.each([
    [{ mood: ["calm"] }, 'state: mood: expected one line of text of at most 500 characters, found ["calm"].'],
    [{ mood: "a\nb" }, 'found "a\\nb".'],
    [{ mood: " " }, 'found " ".'],
    [{ Mood: "a", mood: "b" }, 'state: expected every name once, found "Mood" and "mood", which are read as the same name.'],
    [{ ["m".repeat(41)]: "a" }, "state: expected a name of one line and at most 40 characters"],
  ])("traits in a table are checked: %j", async (state, message) => {
    expect(await fault({}, { state })).toContain(message)
  })

  test("a trait that is no line of text is an error with its place", async () => {
    const message = await fault({ "s.md": "---\nmood: calm\nplace:\n  - here\n---\nNote.\n" }, { state: "s.md" })
    expect(message).toMatch(/s\.md:3:1: place: .* found \["here"\]\.$/m)
  })

  test.each([
    ["no front matter", "Just words.\n", "world.md:1:1: expected an entry, which begins with front matter"],
    ["nothing", "", "world.md:1:1: expected an entry"],
    ["words before the first entry", "\nHi\n---\nkeys: [a]\n---\nText\n", "world.md:2:1: expected an entry"],
    [
      "an open end",
      "---\nkeys: [a]\n---\nText\n---\nkeys: [b]\n",
      "world.md:5:1: expected a line --- that ends the front matter",
    ],
    ["an entry that nothing calls", "---\ntitle: A\n---\nText\n", "world.md:1:1: expected keys: [word, …] or always: true"],
    ["an entry without text", "---\nkeys: [a]\n---\n\n---\nkeys: [b]\n---\nText\n", "world.md:1:1: expected the entry's text"],
    ["a misspelt key", "---\nkeys: [a]\n---\nA\n---\nkyes: [a]\n---\nText\n", 'world.md:6:1: unknown key "kyes"'],
    [
      "keys that are no list",
      "---\nkeys: a\n---\nText\n",
      'world.md:2:1: keys: expected a list of words of at most 100 characters, found "a".',
    ],
    ["a key that shows nothing", '---\nkeys: ["\\u200b"]\n---\nText\n', "world.md:2:1: keys: expected a list of words"],
    [
      "a priority in words",
      "---\nkeys: [a]\npriority: high\n---\nText\n",
      'world.md:3:1: priority: expected a number, found "high".',
    ],
    ["a maybe", "---\nkeys: [a]\nalways: maybe\n---\nText\n", "world.md:3:1: always: expected true or false"],
    [
      "a pattern that could hang",
      '---\nkeys: ["/(a)\\\\1/"]\n---\nText\n',
      "a backreference cannot be searched for in linear time.",
    ],
    [
      "an unknown logic",
      "---\nkeys: [a]\nlogic: xor\n---\nText\n",
      "world.md:3:1: logic: expected and_any, not_all, not_any, and_all",
    ],
    [
      "too much chance",
      "---\nkeys: [a]\nprobability: 101\n---\nText\n",
      "world.md:3:1: probability: expected a whole number from 0 to 100, found 101.",
    ],
    ["a group of two lines", '---\nkeys: [a]\ngroup: "a\\nb"\n---\nText\n', "world.md:3:1: group: expected one line of text"],
    ["a title of two lines", '---\nkeys: [a]\ntitle: "a\\nb"\n---\nText\n', "world.md:3:1: title: expected one line of text"],
    ["YAML that is none", "---\nkeys: [a]\n---\nA\n---\nkeys: [b\n---\nText\n", "world.md:6:9: expected YAML"],
    [
      "an alias bomb",
      `---\nkeys: [&a x, ${"*a, ".repeat(200)}]\n---\nText\n`,
      "world.md:2:1: expected YAML: Excessive alias count",
    ],
    [
      "endless front matter",
      `---\nkeys: [${"a, ".repeat(9_000)}]\n---\nText\n`,
      "world.md:1:1: expected front matter of at most 16384",
    ],
  ])("a world book with %s is an error with its place", async (_, text, message) => {
    expect(await book(text)).toContain(message)
  })

  test("a world book is a file with entries or a folder of such files, in the order of their paths", () => {
    const folder = tempFolder({
      "b.md":
        "---\nkeys: [sea, 1984]\n---\n\nThe sea.\n\n***\n\nStill the sea.\n\n---\ntitle: Cat\nkeys: [cat]\nalways: true\npriority: 3\n---\nThe cat.\r\n",
      "a/deep.md": "\uFEFF---\nkeys: [deep]\n---\nDeep.",
      ".hidden/c.md": "nothing of this is read",
      "notes.txt": "nor of this",
    })
    const entries = readWorldBook(folder)
    expect(
      entries.map(({ id, title, keys, constant, order, text }) => [
        id,
        title,
        keys,
        constant,
        order,
        text.text,
        text.source?.line,
      ]),
    ).toEqual([
      ["deep", undefined, ["deep"], undefined, 100, "Deep.", 4],
      ["sea", undefined, ["sea", "1984"], undefined, 100, "The sea.\n\n***\n\nStill the sea.", 5],
      ["Cat", "Cat", ["cat"], true, 3, "The cat.", 17],
    ])
  })

  test("C13: an entry has secondary keys, patterns, chance, time and groups as a lorebook's entry has", () => {
    const front = [
      'keys: ["/drag(on|ons)/i", wyrm]',
      "secondary_keys: [fire]\nlogic: not_any\nexcluded_keys: [toy]",
      "case_sensitive: true\nscan_depth: 3\nprobability: 40\nsticky: 4\ncooldown: 2\ndelay: 1",
      "group: 'a, b'\ngroup_weight: 5\ngroup_override: true",
      "exclude_recursion: true\nprevent_recursion: true\ndelay_until_recursion: 1",
    ]
    const folder = tempFolder({
      "world.md": `---\n${front.join("\n")}\n---\nA\n---\nkeys: [wyrm]\n---\nB\n---\nkeys: [wyrm]\n---\nC`,
    })
    const [entry, ...others] = readWorldBook(`${folder}/world.md`)
    expect(entry).toMatchObject({
      id: "/drag(on|ons)/i",
      keys: [{ source: "drag(on|ons)", flags: "i" }, "wyrm"],
      secondary: { keys: ["fire"], logic: "notAny" },
      excluded: ["toy"],
      ...{ caseSensitive: true, wholeWords: true, scanDepth: 3, probability: 40, sticky: 4, cooldown: 2, delay: 1 },
      ...{ groups: ["a", "b"], groupWeight: 5, groupOverride: true },
      ...{ excludeRecursion: true, preventRecursion: true, delayUntilRecursion: 1 },
    })
    expect(others.map(({ id }) => id)).toEqual(["wyrm", "wyrm (2)"])
  })

  test("L13: a file that is added to the folder of a world book is seen", () => {
    const folder = tempFolder({ "world/a.md": "---\nkeys: [a]\n---\nA" })
    const log = new FileLog()
    withFileLog(log, () => readWorldBook(`${folder}/world`))
    expect(log.paths).toEqual(expect.arrayContaining([`${folder}/world`, `${folder}/world/a.md`]))
  })

  test("the shipped profile stack has every part in both languages, each with its entries", async () => {
    for (const locale of ["en", "zh-CN"]) {
      const profile = await loadProfile("stack", { env: {}, locale })
      expect(profile.plugins.map(({ name }) => name)).toEqual(["memory", "character"])
    }
  })
})
