import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { tempFolder } from "../../support/temp-folder.ts"

type Files = Readonly<Record<string, string | Uint8Array>>

/** The whole message of loading `profile.toml`, with the test's folder left out of its paths. */
async function messageOf(files: Files, nameOrPath = "profile.toml"): Promise<string> {
  const folder = tempFolder(files)
  const error = await loadProfile(nameOrPath.endsWith(".toml") ? `${folder}/${nameOrPath}` : nameOrPath, {
    locale: "en",
    roots: [folder],
    env: {},
  }).catch((thrown: unknown) => thrown)
  expect(PromptStrataError.isInstance(error), String(error)).toBe(true)
  return (error as PromptStrataError).message.replaceAll(`${folder}/`, "").replaceAll(/^ +$/gm, "")
}

describe("what is wrong with a profile is said with its place, what was expected, what was found and what is near (L9)", () => {
  test("an unknown key with a near one", async () => {
    expect(await messageOf({ "profile.toml": "[loop]\nmax_step = 3\n" })).toMatchInlineSnapshot(`
      "profile.toml:2:1: unknown key loop.max_step. Did you mean "max_steps"?
      1 | [loop]
      2 | max_step = 3
        | ^
      3 | "
    `)
  })

  test("an unknown key that belongs to another table", async () => {
    expect(await messageOf({ "profile.toml": 'persona = "fay"\n' })).toMatchInlineSnapshot(`
      "profile.toml:1:1: unknown key persona. Did you mean prompt.persona?
      1 | persona = "fay"
        | ^
      2 | "
    `)
  })

  test("an unknown table, and a key near nothing", async () => {
    expect(await messageOf({ "profile.toml": "[promt]\n\n[user]\nshoe_size = 43\n" })).toMatchInlineSnapshot(`
      "profile.toml:1:2: unknown key promt. Did you mean "prompt"?
      1 | [promt]
        |  ^
      2 | 
      profile.toml:4:1: unknown key user.shoe_size. Expected one of description, name.
      3 | [user]
      4 | shoe_size = 43
        | ^
      5 | "
    `)
  })

  test("values of the wrong type and out of bounds, all in one error", async () => {
    const profile = `locale = "english"
[prompt]
persona = 7
dialect = " "
[loop]
max_steps = "twelve"
strict = "no"
mode = "jsn"
[limits]
turn_ms = 0
step_ms = nan
[history]
context_count = 2.5
[tools]
enabled = ["calculate", 3]
[model]
base_url = "ftp://example.org"
temperature = 3
`
    expect(await messageOf({ "profile.toml": profile })).toMatchInlineSnapshot(`
      "profile.toml:1:1: locale: expected a locale such as "en" or "zh-CN", found "english".
      1 | locale = "english"
        | ^
      2 | [prompt]
      profile.toml:3:1: prompt.persona: expected a string, found 7.
      2 | [prompt]
      3 | persona = 7
        | ^
      4 | dialect = " "
      profile.toml:4:1: prompt.dialect: expected one line of text that is not blank, found " ".
      3 | persona = 7
      4 | dialect = " "
        | ^
      5 | [loop]
      profile.toml:6:1: loop.max_steps: expected a whole number from 1 to 1000, found "twelve".
      5 | [loop]
      6 | max_steps = "twelve"
        | ^
      7 | strict = "no"
      profile.toml:7:1: loop.strict: expected true or false, found "no".
      6 | max_steps = "twelve"
      7 | strict = "no"
        | ^
      8 | mode = "jsn"
      profile.toml:8:1: loop.mode: expected "json", "native", "chat" or "auto", found "jsn". Did you mean "json"?
      7 | strict = "no"
      8 | mode = "jsn"
        | ^
      9 | [limits]
      profile.toml:10:1: limits.turn_ms: expected a whole number from 1 to 2147483647, found 0.
       9 | [limits]
      10 | turn_ms = 0
         | ^
      11 | step_ms = nan
      profile.toml:11:1: limits.step_ms: expected a whole number from 1 to 2147483647, found nan.
      10 | turn_ms = 0
      11 | step_ms = nan
         | ^
      12 | [history]
      profile.toml:13:1: history.context_count: expected a whole number of at least 0, found 2.5.
      12 | [history]
      13 | context_count = 2.5
         | ^
      14 | [tools]
      profile.toml:15:25: tools.enabled[1]: expected a string, found 3.
      14 | [tools]
      15 | enabled = ["calculate", 3]
         |                         ^
      16 | [model]
      profile.toml:17:1: model.base_url: expected a URL that begins with http:// or https://, found "ftp://example.org".
      16 | [model]
      17 | base_url = "ftp://example.org"
         | ^
      18 | temperature = 3
      profile.toml:18:1: model.temperature: expected a number from 0 to 2, found 3.
      17 | base_url = "ftp://example.org"
      18 | temperature = 3
         | ^
      19 | "
    `)
  })

  test("a prestart entry without its tool, with a date among its arguments", async () => {
    const profile = '[[prestart]]\ntool = "clock"\n\n[[prestart]]\nargs = { day = 2026-11-21, deep = { list = [1, inf] } }\n'
    expect(await messageOf({ "profile.toml": profile })).toMatchInlineSnapshot(`
      "profile.toml:4:3: prestart[1].tool: expected a string, found nothing.
      3 | 
      4 | [[prestart]]
        |   ^
      5 | args = { day = 2026-11-21, deep = { list = [1, inf] } }
      profile.toml:5:10: prestart[1].args.day: expected JSON: a string, a number, true, false, an array or a table, found the date or time 2026-11-21.
      4 | [[prestart]]
      5 | args = { day = 2026-11-21, deep = { list = [1, inf] } }
        |          ^
      6 | 
      profile.toml:5:48: prestart[1].args.deep.list[1]: expected JSON: a string, a number, true, false, an array or a table, found inf.
      4 | [[prestart]]
      5 | args = { day = 2026-11-21, deep = { list = [1, inf] } }
        |                                                ^
      6 | "
    `)
  })

  test("a table where a list of tables belongs", async () => {
    expect(await messageOf({ "profile.toml": '[prestart]\ntool = "clock"\n' })).toMatchInlineSnapshot(`
      "profile.toml:1:2: prestart: expected an array of tables, written [[prestart]], found a table.
      1 | [prestart]
        |  ^
      2 | tool = "clock""
    `)
  })

  test("a date where a table belongs, and a name that a table of groups does not have", async () => {
    expect(await messageOf({ "profile.toml": "loop = 2026-11-21\n[tools.rules]\ndevise = 'x'\n" })).toMatchInlineSnapshot(`
      "profile.toml:1:1: loop: expected a table, found the date or time 2026-11-21.
      1 | loop = 2026-11-21
        | ^
      2 | [tools.rules]
      profile.toml:3:1: unknown key tools.rules.devise. Did you mean "device"?
      2 | [tools.rules]
      3 | devise = 'x'
        | ^
      4 | "
    `)
  })

  test("a persona that is not there", async () => {
    const files = { "profile.toml": '[prompt]\npersona = "fya"\n', "prompts/characters/mei.txt": "You are Mei." }
    expect(await messageOf(files)).toMatchInlineSnapshot(`
      "profile.toml:2:1: prompt.persona: expected a file, found none called "fya". Known: fay, mei, qinglan.
      1 | [prompt]
      2 | persona = "fya"
        | ^
      3 | 
      Looked for:
        prompts/characters/en/fya.{md,txt}
        prompts/characters/fya.{md,txt}
        prompts/characters/en/fya.{md,txt} (shipped)
        prompts/characters/fya.{md,txt} (shipped)
        prompts/characters/zh-CN/fya.{md,txt}
        prompts/characters/zh-CN/fya.{md,txt} (shipped)"
    `)
  })

  test("every file that is not there, in one error", async () => {
    const profile =
      '[prompt]\npersona = "./who.md"\nformat = "plane"\nfolder = "./nowhere"\ndialect = "layerd"\nfinal_system = "f.md"\n'
    expect(await messageOf({ "profile.toml": profile })).toMatchInlineSnapshot(`
      "profile.toml:2:1: prompt.persona: expected a file, found none called "./who.md". Known: fay, qinglan.
      1 | [prompt]
      2 | persona = "./who.md"
        | ^
      3 | format = "plane"
      Looked for:
        who.md
        prompts/who.md
        prompts/who.md (shipped)
      profile.toml:3:1: prompt.format: expected a file, found none called "plane". Did you mean "plain"?
      2 | persona = "./who.md"
      3 | format = "plane"
        | ^
      4 | folder = "./nowhere"
      Looked for:
        prompts/formats/en/plane.{md,txt}
        prompts/formats/plane.{md,txt}
        prompts/formats/en/plane.{md,txt} (shipped)
        prompts/formats/plane.{md,txt} (shipped)
        prompts/formats/zh-CN/plane.{md,txt}
        prompts/formats/zh-CN/plane.{md,txt} (shipped)
      profile.toml:4:1: prompt.folder: expected a folder of prompt files, found none at nowhere.
      3 | format = "plane"
      4 | folder = "./nowhere"
        | ^
      5 | dialect = "layerd"
      profile.toml:5:1: prompt.dialect: expected a dialect (fay, layered, root, root-tools, soul, stack, stack-cached, tavern), found "layerd". Did you mean "layered"?
      4 | folder = "./nowhere"
      5 | dialect = "layerd"
        | ^
      6 | final_system = "f.md"
      profile.toml:6:1: prompt.final_system: expected a file, found none called "f.md".
      5 | dialect = "layerd"
      6 | final_system = "f.md"
        | ^
      7 | 
      Looked for:
        f.md
        prompts/f.md
        prompts/f.md (shipped)"
    `)
  })

  test("an unknown dialect", async () => {
    expect(await messageOf({ "profile.toml": '[prompt]\ndialect = "layred"\n' })).toMatchInlineSnapshot(`
      "profile.toml:2:1: prompt.dialect: expected a dialect (fay, layered, root, root-tools, soul, stack, stack-cached, tavern), found "layred". Did you mean "layered"?
      1 | [prompt]
      2 | dialect = "layred"
        | ^
      3 | "
    `)
  })

  test("TOML that is no TOML", async () => {
    expect(await messageOf({ "profile.toml": "# 你好\n[loop\nmax_steps = 3\n" })).toMatchInlineSnapshot(`
      "profile.toml:2:6: expected TOML: illegal character in key.
      1 | # 你好
      2 | [loop
        |      ^
      3 | max_steps = 3"
    `)
  })

  test("a string that is never closed, with the column in characters", async () => {
    expect(await messageOf({ "profile.toml": '[user]\nname = "😀主人\n' })).toMatchInlineSnapshot(`
      "profile.toml:2:12: expected a string to be closed on its line, found the line's end.
      1 | [user]
      2 | name = "😀主人
        |               ^
      3 | "
    `)
  })

  test("a variable with the name of what the agent itself puts into prompts", async () => {
    const profile = '[variables]\nmood = "calm"\npersona = "You are somebody else."\nhistory = true\n'
    expect(await messageOf({ "profile.toml": profile })).toMatchInlineSnapshot(`
      "profile.toml:3:1: variables.persona: expected a name of your own, found "persona", which stands for what the agent itself puts into prompts.
      2 | mood = "calm"
      3 | persona = "You are somebody else."
        | ^
      4 | history = true
      Rename it, such as my_persona.
      profile.toml:4:1: variables.history: expected a name of your own, found "history", which stands for what the agent itself puts into prompts.
      3 | persona = "You are somebody else."
      4 | history = true
        | ^
      5 | 
      Rename it, such as my_history."
    `)
  })

  test("a key twice", async () => {
    expect(await messageOf({ "profile.toml": "[loop]\nstrict = true\nmax_steps = 3\nstrict = false\n" })).toMatchInlineSnapshot(`
      "profile.toml:4:1: expected each key and table once, found this a second time.
      3 | max_steps = 3
      4 | strict = false
        | ^
      5 | "
    `)
  })

  test("keys that reach for a prototype", async () => {
    const profile =
      'constructor = 1\n[__proto__]\npolluted = true\n[variables]\n"__proto__" = "x"\n[[prestart]]\ntool = "t"\nargs = { "__proto__" = { polluted = true } }\n'
    expect(await messageOf({ "profile.toml": profile })).toMatchInlineSnapshot(`
      "profile.toml:1:1: unknown key constructor.
      1 | constructor = 1
        | ^
      2 | [__proto__]
      profile.toml:2:2: unknown key __proto__.
      1 | constructor = 1
      2 | [__proto__]
        |  ^
      3 | polluted = true
      profile.toml:5:1: unknown key variables.__proto__.
      4 | [variables]
      5 | "__proto__" = "x"
        | ^
      6 | [[prestart]]
      profile.toml:8:10: unknown key prestart[0].args.__proto__.
      7 | tool = "t"
      8 | args = { "__proto__" = { polluted = true } }
        |          ^
      9 | "
    `)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test("tables in tables without end", async () => {
    const deep = await messageOf({ "profile.toml": `[variables]\n${"a.".repeat(100_000)}a = 1\n` })
    expect(deep.split("\n")[0]).toMatchInlineSnapshot(
      `"profile.toml:2:99: expected tables at most 50 levels deep, found deeper ones."`,
    )
    expect(await messageOf({ "profile.toml": `x = ${"[".repeat(5_000)}\n` })).toContain("excessively nested")
  })

  test("a circle of profiles", async () => {
    const files = {
      "profile.toml": 'extends = "b"\n',
      "b.toml": 'extends = "./c.toml"\n',
      "c.toml": '# round\nextends = "profile"\n',
    }
    expect(await messageOf(files)).toMatchInlineSnapshot(`
      "c.toml:2:1: extends: expected profiles that end somewhere, found a circle: profile.toml → b.toml → c.toml → profile.toml.
      1 | # round
      2 | extends = "profile"
        | ^
      3 | "
    `)
  })

  test("a profile that extends itself", async () => {
    expect(await messageOf({ "profile.toml": 'extends = "./profile.toml"\n' })).toMatchInlineSnapshot(`
      "profile.toml:1:1: extends: expected profiles that end somewhere, found a circle: profile.toml → profile.toml.
      1 | extends = "./profile.toml"
        | ^
      2 | "
    `)
  })

  test("a profile that extends one that is not there", async () => {
    expect(await messageOf({ "profile.toml": 'extends = "bsae"\n', "base.toml": "" })).toMatchInlineSnapshot(`
      "profile.toml:1:1: extends: expected a profile, found none called "bsae". Did you mean "base"?
      1 | extends = "bsae"
        | ^
      2 | 
      Looked for:
        bsae.toml
      Known profiles: base, profile."
    `)
  })

  test("a mistake in an inherited profile names that profile's file", async () => {
    expect(await messageOf({ "profile.toml": 'extends = "base"\n', "base.toml": "[lop]\n" })).toMatchInlineSnapshot(`
      "base.toml:1:2: unknown key lop. Did you mean "loop"?
      1 | [lop]
        |  ^
      2 | "
    `)
  })

  test("a profile that is not there, by name", async () => {
    expect(await messageOf({ "fay.toml": "", "mei.toml": "" }, "fya")).toMatchInlineSnapshot(`
      "expected a profile, found none called "fya".
      Looked for:
        fya.toml
      Known profiles: fay, mei."
    `)
  })

  test("a profile that is not there, by path", async () => {
    expect(await messageOf({ "fay.toml": "" }, "bots/none.toml")).toMatchInlineSnapshot(`
      "expected a profile, found none called "bots/none.toml".
      Looked for:
        bots/none.toml
      Known profiles: fay."
    `)
  })

  test("a folder in the place of a profile", async () => {
    expect(await messageOf({ "profile.toml/x": "" })).toMatchInlineSnapshot(
      `"profile.toml:1: expected a profile, found a folder or a device."`,
    )
  })

  test("bytes that are not UTF-8", async () => {
    const bytes = new Uint8Array([...Buffer.from('[user]\nname = "主'), 0xff, ...Buffer.from('"\n')])
    expect(await messageOf({ "profile.toml": bytes })).toMatchInlineSnapshot(`
      "profile.toml:2:10: expected UTF-8 text, found the byte 0xff, which is part of no character.
      1 | [user]
      2 | name = "主�"
        |           ^
      3 | 
      Save the file as UTF-8."
    `)
  })

  test("UTF-16", async () => {
    expect(await messageOf({ "profile.toml": new Uint8Array(Buffer.from("\uFEFF[user]\n", "utf16le")) })).toMatchInlineSnapshot(`
      "profile.toml:1:1: expected UTF-8 text, found the byte 0xff, which is part of no character.
      1 | ��[�u�s�e�r�]�
        | ^
      2 | �
      This looks like UTF-16: save the file as UTF-8."
    `)
  })

  test("a profile and a persona that are too large", async () => {
    expect(await messageOf({ "profile.toml": "#".repeat(2 ** 20 + 1) })).toMatchInlineSnapshot(
      `"profile.toml:1: expected a profile of at most 1,048,576 bytes, found 1,048,577 bytes."`,
    )
    const files = { "profile.toml": '[prompt]\npersona = "./big.md"\n', "big.md": "x".repeat(10 * 2 ** 20) }
    expect(await messageOf(files)).toMatchInlineSnapshot(
      `"big.md:1: expected a persona of at most 262,144 bytes, found 10,485,760 bytes."`,
    )
  })

  test("front matter of a persona with an unknown key", async () => {
    const files = {
      "profile.toml": '[prompt]\npersona = "./mei.md"\n',
      "mei.md": "---\nname: Mei\nusr: you\n---\nYou are Mei.\n",
    }
    expect(await messageOf(files)).toMatchInlineSnapshot(`
      "mei.md:3:1: unknown key "usr": the front matter of a persona may hold name, user, colour. Did you mean "user"?
      2 | name: Mei
      3 | usr: you
        | ^
      4 | ---"
    `)
  })

  test("more problems than anybody reads are counted", async () => {
    const keys = Array.from({ length: 25 }, (_, n) => `zz${n} = 1`).join("\n")
    const message = await messageOf({ "profile.toml": keys })
    expect(message.match(/unknown key/g)).toHaveLength(20)
    expect(message.split("\n").at(-1)).toBe("… and 5 more.")
  })
})

test("an error carries its problems as data too", async () => {
  const folder = tempFolder({ "profile.toml": "a = 1\nb = 2\n" })
  const error = await loadProfile(`${folder}/profile.toml`).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: "profile",
    source: { file: `${folder}/profile.toml`, line: 1, column: 1 },
    evidence: {
      count: 2,
      problems: [{ source: { line: 1 } }, { source: { line: 2 }, message: expect.stringContaining("unknown key b") }],
    },
  })
})
