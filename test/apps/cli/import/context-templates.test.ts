import { readFileSync, writeFileSync } from "node:fs"
import Handlebars from "handlebars"
import { describe, expect, test } from "vitest"
import { tempFolder } from "../../../support/temp-folder.ts"
import { run } from "../run.ts"
import { contextTemplates } from "./context-templates.ts"

const card = {
  name: "Mei",
  description: 'Mei\'s body = short\n[Mei: keeper, calm]\nShe keeps a "shop".',
  personality: "Calm.\nCurious: always.",
  scenario: "Rain falls.\n\nThe shop is open.",
  first_mes: "Hi",
  mes_example: "<START>\n{{user}}: Hello\nMei: Hi!",
}
const book = {
  entries: [
    { keys: [], content: "The town is old.", constant: true, insertion_order: 1, position: "before_char" },
    { keys: ["tea"], content: "Tea is\nblack.", insertion_order: 2, position: "before_char" },
    { keys: ["tea"], content: "The harbour is near.", insertion_order: 3, position: "after_char" },
  ],
}
const sparse = { name: "Mei", description: "Short.", first_mes: "Hi" }

/** The characters of words alone: without fences, backslashes before lines, the frame of the examples, and line breaks or other blanks. */
function wordsOf(text: string): string {
  return text
    .replace(/^`{3,}$/gm, "")
    .replace(/^\\(?=\[)/gm, "")
    .replace(/How you speak, for example:|<START>/g, "")
    .replace(/\s+/g, "")
}

const tokens =
  /<\|im_start\|>(?:system|user|assistant)|<\|start_header_id\|>(?:system|user|assistant)<\|end_header_id\|>|<start_of_turn>(?:user|model)|<\|[a-z_A-Z0-9]+\|>|<(?:s|\/s|bos|eos|end_of_turn)>|<<\/?SYS>>|\[\/?(?:INST|SYSTEM_PROMPT|gMASK)\]|<sop>|<｜[^｜]+｜>/g

type Given = typeof card & { readonly system_prompt?: string }

/** The story string as SillyTavern prints it for a card. */
function reference(
  story: string,
  given: Partial<Given>,
  lore: { before: string; after: string } | undefined,
  main: string,
): string {
  const values = {
    ...{ description: given.description, personality: given.personality, scenario: given.scenario },
    ...{ system: given.system_prompt || main, wiBefore: lore?.before, loreBefore: lore?.before, wiAfter: lore?.after },
    ...{ loreAfter: lore?.after, persona: "A sailor.", char: "Mei", user: "User", trim: "", anchorBefore: "", anchorAfter: "" },
    mesExamples: given.mes_example?.replace("<START>\n", "").replace("{{user}}", "User"),
  }
  const printed = Handlebars.compile(story, { noEscape: true })(values)
  const examples = /mesExamples/i.test(story) ? "" : ` ${values.mesExamples ?? ""}`
  return wordsOf(printed.replace(tokens, "") + examples)
}

/** The system message that the imported template prints for a card. */
async function imported(story: string, given: object, main: string): Promise<string> {
  const json = { context: { name: "mine", story_string: story }, sysprompt: { name: "mine", content: main } }
  const folder = tempFolder({ "mine.json": JSON.stringify(json), "mei.json": JSON.stringify(given) })
  const { code } = await run(["import", `${folder}/mine.json`, folder])
  const path = `${folder}/profiles/mine.toml`
  const profile = readFileSync(path, "utf8")
    .replace(/# persona = .*/, 'persona = "../mei.json"')
    .replace(/# \[user\]\n# (description = ).*\n/, '[user]\n$1"A sailor."\n')
  writeFileSync(path, profile)
  const lint = await run(["lint", path])
  const { stdout } = await run(["render", path, "--question", "Is there tea?", "--prompt", "chat"])
  expect({ code, lint: lint.stdout.match(/\d+ errors?, \d+ warnings?/)?.[0] }).toEqual({ code: 0, lint: "0 errors, 0 warnings" })
  return wordsOf(/══ system\n([\s\S]*?)(?=══ user|$)/.exec(stdout)?.[1] ?? "")
}

describe.each(Object.entries(contextTemplates))("the context template %s", (_, story) => {
  test.each<[string, Partial<Given>, boolean, string]>([
    ["a whole card with lore", card, true, "Write {{char}}'s reply."],
    ["a card with a system prompt of its own", { ...card, system_prompt: "Be Mei.\n[Always]" }, false, "Write {{char}}'s reply."],
    ["a card that lacks most parts", sparse, false, ""],
  ])("C27: prints %s as Handlebars does", async (_name, given, hasLore, main) => {
    const lore = { before: "The town is old.\nTea is\nblack.", after: "The harbour is near." }
    const expected = reference(story, given, hasLore ? lore : undefined, main.replace("{{char}}", "Mei"))
    expect(await imported(story, { ...given, ...(hasLore && { character_book: book }) }, main)).toBe(expected)
  })
})
