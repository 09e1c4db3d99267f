import { describe, expect, test } from "vitest"
import { loadProfile } from "../../../../src/node/profile/load-profile.ts"
import type { ProfileInput } from "../../../../src/profile/profile.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { testAgent } from "../../../support/agents.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { characterRules, idleRules, type RootRule, rootHeadings, rootRules, workRules } from "./rules.ts"

const locales = ["zh-CN", "en"] as const
type Locale = (typeof locales)[number]

async function systemPrompt(locale: Locale, more: ProfileInput = {}): Promise<string> {
  const profile = await loadProfile("root", { locale, env: {}, dataFolder: tempFolder({}) })
  const variables = { ...profile.variables, developer_name: locale === "en" ? "the tester" : "测试者" }
  const files = { ...profile.files, formats: ["txt", "png"] }
  const { files: _opened, ...output } = profile.output
  const changed = resolveProfile({ ...profile, files, output, history: { contextCount: 7 }, variables, ...more })
  const { messages } = await testAgent(scriptedModel([]), changed).session.preview("?")
  return messages[0]?.content ?? ""
}

function missing(prompt: string, rules: readonly RootRule[], locale: Locale): string[] {
  return rules.filter(({ zh, en }) => !prompt.includes(locale === "en" ? en : zh)).map(({ rule }) => rule)
}

describe.each(locales)("R4 R29: the root prompt in %s", (locale) => {
  test("has each rule that it must state, with the values of the profile", async () => {
    expect(missing(await systemPrompt(locale), [...rootRules, ...idleRules, ...characterRules], locale)).toEqual([])
  })

  test("has its headings as they are, in order", async () => {
    const prompt = await systemPrompt(locale)
    const places = rootHeadings[locale].map((heading) =>
      prompt.split("\n").findIndex((line) => line.trimStart().startsWith(heading)),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test("work_mode switches between work and idle talk, both ways", async () => {
    const working = await systemPrompt(locale, { variables: { work_mode: true } })
    const idle = await systemPrompt(locale, { variables: { work_mode: false } })
    expect(missing(working, workRules, locale)).toEqual([])
    expect(missing(working, idleRules, locale)).toHaveLength(idleRules.length)
    expect(missing(idle, idleRules, locale)).toEqual([])
    expect(missing(idle, workRules, locale)).toHaveLength(workRules.length)
  })

  test("a variable without a value has its default", async () => {
    const prompt = await systemPrompt(locale, { variables: {} })
    expect(prompt).toContain(locale === "en" ? "signs as: nobody in particular" : "开发者：没有署名")
    expect(prompt).toContain("<style_corpus>\n")
  })

  test("its corpus comes from a file of the user's, or from a variable, and is no template", async () => {
    const folder = tempFolder({
      "mine.toml": 'extends = "root"\n[prompt]\nfolder = "prompts"\n',
      [`prompts/root/${locale}/examples_hareru.txt`]: "Meow.\n",
    })
    const mine = await loadProfile(`${folder}/mine.toml`, { locale, env: {}, dataFolder: tempFolder({}) })
    const { messages } = await testAgent(scriptedModel([]), mine).session.preview("?")
    expect(messages[0]?.content).toContain("<style_corpus>\nMeow.\n</style_corpus>")
    const given = await systemPrompt(locale, { variables: { examples_context: "Purr ${agent_name}." } })
    expect(given).toContain("<style_corpus>\nPurr ${agent_name}.\n</style_corpus>")
  })

  test("nothing of it changes from turn to turn, and all of it is marked so", async () => {
    const profile = await loadProfile("root", { locale, env: {}, dataFolder: tempFolder({}) })
    const { session } = testAgent(scriptedModel([]), profile)
    const [one, two] = [await session.preview("一"), await session.preview("二")]
    expect(two.messages[0]).toEqual(one.messages[0])
    const session1 = one.prefixes.find(({ stability }) => stability === "session")
    expect(session1).toMatchObject({ message: 0, end: one.messages[0]?.content.length })
  })
})

test("R29: the shipped root profile is 青蓝, and its colour reaches the profile", async () => {
  const chinese = await loadProfile("root", { locale: "zh-CN", env: {}, dataFolder: tempFolder({}) })
  const english = await loadProfile("root", { locale: "en", env: {}, dataFolder: tempFolder({}) })
  expect(chinese.agent).toEqual({ id: "root", name: "青蓝", colour: "#1D75B3" })
  expect(english.agent).toEqual({ id: "root", name: "Qinglan", colour: "#1D75B3" })
  expect(chinese.output.files?.formats).toEqual(chinese.files.formats)
})

test("R29: its colour goes with the persona: another one has its own or none, and a profile's own wins", async () => {
  const persona = (front: string) => `---\nname: Mei\n${front}---\nYou are Mei.\n`
  const folder = tempFolder({
    "plain.md": persona(""),
    "red.md": persona('colour: "#AA0000"\n'),
    "plain.toml": 'extends = "root"\n[prompt]\npersona = "plain.md"\n',
    "red.toml": 'extends = "root"\n[prompt]\npersona = "red.md"\n',
    "green.toml": 'extends = "root"\n[agent]\ncolour = "#00AA00"\n',
  })
  const colourOf = async (name: string) =>
    (await loadProfile(`${folder}/${name}.toml`, { locale: "en", env: {}, dataFolder: tempFolder({}) })).agent.colour
  expect([await colourOf("plain"), await colourOf("red"), await colourOf("green")]).toEqual([undefined, "#AA0000", "#00AA00"])
})

test.each(locales)(
  "R29: its tone goes with the persona: another one brings a corpus of its own or none, in %s",
  async (locale) => {
    const folder = tempFolder({
      "mei.md": "---\nname: Mei\n---\nYou are Mei.\n",
      "bo.md": "---\nname: Bo\n---\nYou are Bo.\n",
      "bo/examples.txt": "Ahoy.\n",
      "mei.toml": 'extends = "root"\n[prompt]\npersona = "mei.md"\n',
      "bo.toml": 'extends = "root"\n[prompt]\npersona = "bo.md"\n',
      "given.toml": 'extends = "root"\n[prompt]\npersona = "mei.md"\n[variables]\nexamples_context = "Purr."\n',
      "own.toml": 'extends = "root"\n[prompt]\npersona = "mei.md"\nfolder = "prompts"\n',
      [`prompts/root/${locale}/examples_hareru.txt`]: "Meow.\n",
      "same.toml": 'extends = "root"\n[variables]\ndeveloper_name = "me"\n',
    })
    const promptOf = async (name: string) => {
      const profile = await loadProfile(`${folder}/${name}.toml`, { locale, env: {}, dataFolder: tempFolder({}) })
      return (await testAgent(scriptedModel([]), profile).session.preview("?")).messages[0]?.content ?? ""
    }
    const mei = await promptOf("mei")
    for (const text of ["# Few-shot examples", "style_corpus", "晒过的被子", "sunned quilt", "tangerine", "橘子"])
      expect(mei).not.toContain(text)
    expect(mei).toContain(locale === "en" ? "a few sentences will do" : "平常回上几句就够了")
    const corpora = { bo: "Ahoy.", given: "Purr.", own: "Meow." }
    for (const [name, corpus] of Object.entries(corpora)) {
      const prompt = await promptOf(name)
      expect(prompt).toContain(`<style_corpus>\n${corpus}\n</style_corpus>`)
      expect(prompt).not.toMatch(/晒过的被子|sunned quilt/)
    }
    expect(await promptOf("same")).toMatch(/晒过的被子|sunned quilt/)
  },
)

test.each(locales)("R4: the prompt says the name of its character once, in %s", async (locale) => {
  const prompt = await systemPrompt(locale)
  expect(prompt.match(locale === "en" ? /(?<!last_|last_n_)Qinglan/g : /(?<!last_|last_n_)青蓝/g)).toHaveLength(1)
})
