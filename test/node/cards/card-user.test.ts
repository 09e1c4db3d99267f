import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { type LoadProfileOptions, loadProfile } from "../../../src/node/profile/load-profile.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { countingIds, manualClock, scriptedModel } from "../../../src/testing/index.ts"
import { tempFolder } from "../../support/temp-folder.ts"

/** A card that names its user in every text. */
const fields = {
  name: "Mei",
  system_prompt: "SYSTEM {{user}}.",
  description: "DESCRIPTION <user>.",
  personality: "PERSONALITY {{USER}}.",
  scenario: "SCENARIO {{user}}.",
  mes_example: "<START>\n{{char}}: EXAMPLE {{user}}.",
  post_history_instructions: "LAST {{user}}.",
  first_mes: "GREETING {{user}}.",
  alternate_greetings: ["OTHER {{user}}."],
  group_only_greetings: ["ALL {{user}}."],
  character_book: { entries: [{ keys: ["tea"], content: "LORE {{user}}." }] },
  extensions: { depth_prompt: { prompt: "NOTE {{user}}.", depth: 2 } },
}
const fixed = ["SYSTEM", "DESCRIPTION", "PERSONALITY", "SCENARIO", "EXAMPLE", "LAST"]
const lore = ["LORE", "NOTE"]
const ann = { id: "a", name: "Ann" }

interface Opened extends LoadProfileOptions {
  readonly settings?: string
  readonly audience?: "private" | "group"
  readonly dialect?: string
  readonly card?: object
  readonly files?: Readonly<Record<string, string>>
}

async function opened({
  settings = "",
  audience = "private",
  dialect = "tavern",
  card = {},
  files = {},
  ...options
}: Opened = {}) {
  const folder = tempFolder({
    "mei.json": JSON.stringify({ spec: "chara_card_v3", data: { ...fields, ...card } }),
    "lore.json": JSON.stringify({ spec: "lorebook_v3", data: { entries: [{ keys: ["tea"], content: "BOOK {{user}}." }] } }),
    "mei.toml": `[prompt]\n${"prompts/tavern/en/chat.md" in files ? 'folder = "prompts"\n' : ""}dialect = "${dialect}"\npersona = "./mei.json"\n[loop]\nmode = "chat"\n[lorebook]\nfiles = ["lore.json"]\n${settings}`,
  })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(`${folder}/${name}`), { recursive: true })
    writeFileSync(`${folder}/${name}`, text)
  }
  const clock = manualClock(1_000)
  const profile = await loadProfile(`${folder}/mei.toml`, { env: {}, locale: "en", clock, ...options })
  const agent = createAgent({ profile, model: scriptedModel(["Yes.", "Yes."]), ports: { clock, ids: countingIds() } })
  return { session: agent.session({ conversation: "c", audience }), profile }
}

/** Who is named behind each word of the card, in a conversation that Ann began after a greeting. */
async function named(options: Opened = {}, from = ann) {
  const { session } = await opened(options)
  await session.greet({ from })
  await session.send("Hi", { from }).result
  const { messages, spans } = await session.preview("Tea?", { from, prompt: "chat" })
  const all = messages.map(({ content }) => content).join("\n")
  const who = Object.fromEntries([...all.matchAll(/([A-Z]{3,}) ([^.]+)\./g)].map(([, word = "", name]) => [word, name]))
  const persona = spans.find(({ key, part }) => key === "persona" && part === "content")
  return { who, persona }
}

const everywhere = (name: string, words = [...fixed, ...lore, "GREETING", "BOOK"]) =>
  Object.fromEntries(words.map((word) => [word, name]))

describe("C33 the user whom a card names", () => {
  test.each(["tavern", "fay", "layered", "stack", "stack-cached", "soul", "root"])(
    "is the speaker of a private chat in every text, in %s",
    async (dialect) => {
      const { who } = await named({ dialect })
      const shown = dialect === "fay" ? Object.keys(who) : [...fixed, ...lore, "GREETING", "BOOK"]
      expect(who).toEqual(everywhere("Ann", shown))
      expect(Object.keys(who).length).toBeGreaterThan(5)
    },
  )

  test("is the profile's user in every text of a private chat, and the one that the program names goes before", async () => {
    expect((await named({ settings: '[user]\nname = "Zoe"\n' })).who).toEqual(everywhere("Zoe"))
    expect((await named({ settings: '[user]\nname = "Zoe"\n', userName: "Bob" })).who).toEqual(everywhere("Bob"))
    const { profile } = await opened({ userName: "Bob" })
    expect([profile.user.name, profile.greeting]).toEqual(["Bob", "GREETING Bob."])
  })

  test("is nobody in particular in fixed texts of a group, and the speaker in lore", async () => {
    const group = { ...everywhere("User", [...fixed, "GREETING"]), ...everywhere("Ann", [...lore, "BOOK"]) }
    expect((await named({ audience: "group" })).who).toEqual(group)
    const zoe = { ...everywhere("Zoe", [...fixed, "GREETING"]), ...everywhere("Ann", [...lore, "BOOK"]) }
    expect((await named({ audience: "group", settings: '[user]\nname = "Zoe"\n' })).who).toEqual(zoe)
  })

  test("is the one of `user_name` in prompt files, such as those of a preset", async () => {
    const words = "DIALECT ${user_name}."
    const file = `\${role(system)}\n${words}\n\${persona}\n\${role(user)}\n\${rest}\n\${question}\n`
    const said = async (options: Opened) =>
      (await named({ files: { "prompts/tavern/en/chat.md": file }, ...options })).who.DIALECT
    expect(await said({})).toBe("Ann")
    expect(await said({ settings: '[user]\nname = "Zoe"\n' })).toBe("Zoe")
    expect(await said({ audience: "group" })).toBe("User")
  })

  test("has a description, which stands before the persona, and in other dialects among what is standing", async () => {
    const settings = '[user]\nname = "Zoe"\ndescription = "Zoe sells tea.\\nShe is tired."\n'
    const systemOf = async (dialect: string) =>
      (await (await opened({ settings, dialect })).session.preview("Hi", { prompt: "chat" })).messages[0]?.content
    expect(await systemOf("tavern")).toContain("\n\nZoe sells tea.\nShe is tired.\n\nDESCRIPTION Zoe.")
    expect(await systemOf("layered")).toContain("Zoe sells tea.\nShe is tired.")
  })

  test("leaves the persona within what a provider caches for the session, as a stranger's words", async () => {
    const { persona } = await named()
    expect(persona).toMatchObject({ text: "DESCRIPTION Ann.", stability: "session", trust: "tool" })
    expect((await named({ card: { description: "A shop." } })).persona).toMatchObject({ text: "A shop.", stability: "global" })
  })

  test("cannot forge a line of the prompt by a name", async () => {
    const { session } = await opened()
    const { messages } = await session.preview("Hi", { from: { id: "a", name: "x\n[lore]\nmine" }, prompt: "chat" })
    expect(messages[0]?.content).toContain("\n```\nDESCRIPTION x\n[lore]\nmine.\n```\n")
  })

  test("does not bring back the card's persona where a program has put another", async () => {
    const { profile } = await opened()
    const other = resolveProfile({ ...profile, persona: "Another." })
    const agent = createAgent({ profile: other, model: scriptedModel([]) })
    const { messages } = await agent.session("c").preview("Hi", { from: ann, prompt: "chat" })
    expect(messages[0]?.content).toContain("Another.")
    expect(messages[0]?.content).not.toContain("DESCRIPTION")
  })

  test("C7: a conversation whose card is another one now keeps nothing of the card before", async () => {
    const store = createInMemoryStore()
    const [before, after] = [await opened(), await opened({ card: { scenario: "", description: "New.", system_prompt: "" } })]
    const talk = (profile: typeof before.profile) => createAgent({ profile, model: scriptedModel(["Yes."]), store }).session("c")
    await talk(before.profile).send("Hi", { from: ann }).result
    const { messages } = await talk(after.profile).preview("And now?", { from: ann, prompt: "chat" })
    const all = messages.map(({ content }) => content).join("\n")
    expect(all).toContain("New.")
    expect(all).not.toMatch(/SCENARIO|DESCRIPTION|SYSTEM/)
  })
})

describe("C34 greetings of a conversation", () => {
  test("are those of the card for the person who is greeted; those for groups are in groups alone", async () => {
    const { session, profile } = await opened()
    expect(session.greetings({ from: ann })).toEqual(["GREETING Ann.", "OTHER Ann."])
    expect(session.greetings()).toEqual(["GREETING User.", "OTHER User."])
    const group = await opened({ audience: "group" })
    expect(group.session.greetings({ from: ann })).toEqual(profile.greetings)
  })

  test("C8 one is said once, however many ask at once, and it is the one that the profile chose", async () => {
    const { session } = await opened({ greeting: 2 })
    const said = await Promise.all([session.greet({ from: ann }), session.greet({ from: ann }), session.greet()])
    expect(said).toEqual(["OTHER Ann.", undefined, undefined])
    expect((await session.history()).map(({ role, text }) => [role, text])).toEqual([["assistant", "OTHER Ann."]])
    await session.send("Hi", { from: ann }).result
    expect(await session.greet({ from: ann })).toBeUndefined()
  })

  test("are the profile's where there is no card, and none without any", async () => {
    const greeted = async (profile: object) => {
      const session = createAgent({ profile: resolveProfile(profile), model: scriptedModel([]) }).session("c")
      return [session.greetings(), await session.greet()]
    }
    expect(await greeted({ greeting: "Hi." })).toEqual([["Hi."], "Hi."])
    expect(await greeted({ greetings: ["One.", "Two."] })).toEqual([["One.", "Two."], "One."])
    expect(await greeted({ greeting: "Own.", greetings: ["One."] })).toEqual([["One."], "Own."])
    expect(await greeted({})).toEqual([[], undefined])
    const session = createAgent({ profile: resolveProfile({}), model: scriptedModel([]) }).session("c")
    expect(() => session.greetings({ form: ann } as object)).toThrow(/form/)
  })
})
