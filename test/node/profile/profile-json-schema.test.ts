import { readdirSync, readFileSync } from "node:fs"
import { parse } from "smol-toml"
import { describe, expect, test } from "vitest"
import { profileReference } from "../../../.ci/write-profile-reference.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { profileJsonSchema } from "../../../src/node/profile/profile-json-schema.ts"
import { checkProfileFile } from "../../../src/node/profile/profile-schema.ts"
import { inSnakeCase } from "../../../src/profile/key.ts"
import { keyWords } from "../../../src/profile/key-words.ts"
import { profileFileKeys } from "../../../src/profile/profile-file-keys.ts"
import { codeBlocksIn } from "../../support/code-blocks.ts"
import { keysIn } from "../../support/declared-keys.ts"
import { schemaFaults } from "../../support/json-schema.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const schema = profileJsonSchema()

/** Every key of a profile's file by its path, as the file spells it. */
const keys = keysIn(profileFileKeys.keys).map(({ path, key }) => [path.map((name) => inSnakeCase(name)).join("."), key] as const)

describe("the JSON Schema of profiles (L9)", () => {
  test("says its draft, and describes every table and every key", () => {
    expect(schema.$schema).toBe("http://json-schema.org/draft-07/schema#")
    expect(keys.length).toBeGreaterThan(60)
    expect(keys.filter(([, key]) => !/^[A-Z"`].*\.$/.test(keyWords.get(key)?.words ?? "")).map(([path]) => path)).toEqual([])
    for (const [, key] of keys) expect(JSON.stringify(schema)).toContain(JSON.stringify(keyWords.get(key)?.words).slice(1, -1))
  })

  test("every key that is no table says its default, or that it is required", () => {
    const silent = keys.filter(
      ([, key]) => key.type.kind !== "table" && (key.default ?? keyWords.get(key)?.default) === undefined,
    )
    expect(silent.map(([path]) => path)).toEqual(["prestart.tool"])
    expect(JSON.stringify(schema)).not.toContain("otherwise")
  })

  test.each(readdirSync(`${root}profiles`))("accepts the shipped %s", (file) => {
    expect(schemaFaults(schema, parse(readFileSync(`${root}profiles/${file}`, "utf8")))).toEqual([])
  })

  test.each([
    ["[loop]\nmax_step = 3", "/loop/max_step"],
    ["persona = 'fay'", "/persona"],
    ["[loop]\nmax_steps = 0", "/loop/max_steps"],
    ["[loop]\nmax_steps = 1.5", "/loop/max_steps"],
    ["[loop]\nmode = 'jsn'", "/loop/mode"],
    ["[model]\ntemperature = 3", "/model/temperature"],
    ["[model]\nbase_url = 'ftp://x'", "/model/base_url"],
    ["[[prestart]]\nargs = {}", "/prestart/0"],
    ["[prestart]\ntool = 'x'", "/prestart"],
    ["[plugins]\nenabled = [' ']", "/plugins/enabled/0"],
    ["[plugins.options]\nmood = 1", "/plugins/options/mood"],
    ["[skills.modes]\ndiary = 'full'", "/skills/modes/diary"],
    ["[variables]\na = []", "/variables/a"],
    ["[output]\nbubbles = 1", "/output/bubbles"],
  ])("refuses %j, as the loader does", (toml, path) => {
    expect(schemaFaults(schema, parse(toml))).toContain(path)
    expect(checkProfileFile(parse(toml)).success).toBe(false)
  })
})

describe("the reference page of profiles", () => {
  const page = readFileSync(`${root}docs/profile.md`, "utf8")

  test("is what the schema says: npx node .ci/write-profile-reference.ts writes it", () => {
    expect(page).toBe(profileReference())
    expect(readFileSync(`${root}docs/profile.zh-CN.md`, "utf8")).toBe(profileReference("zh-CN"))
  })

  test("has a row for every key", () => {
    const missing = keys
      .filter(([, { type }]) => type.kind !== "table" && !(type.kind === "list" && type.of.kind === "table"))
      .map(([path]) => path.split(".").at(-1))
    expect(missing.filter((name) => !page.includes(`| \`${name}\``) && !page.includes(`| \`${name}.NAME\``))).toEqual([])
  })

  test("its example loads", async () => {
    const [example] = codeBlocksIn(page).filter(({ language }) => language === "toml")
    const folder = tempFolder({
      "mei.toml": example?.text ?? "",
      "prompts/characters/en/mei.md": "You are Mei.",
      "skills/cooking.md": "---\nname: cooking\ndescription: How to cook.\n---\nBoil it.\n",
      "plugins/mood.mjs": readFileSync(`${root}test/fixtures/plugins/mood.mjs`, "utf8"),
    })
    const profile = await loadProfile(`${folder}/mei.toml`, { env: {} })
    expect(profile).toMatchObject({ agent: { name: "Mei" }, memory: { enabled: true }, budget: { tokens: 16_000 } })
    expect(profile.plugins.map(({ name }) => name)).toEqual(["memory", "mood"])
  })
})
