import { join } from "node:path"
import { expect, test } from "vitest"
import { readLintFiles } from "../../../src/node/lint/read-lint-files.ts"
import { findPromptFiles } from "../../../src/node/lint/read-prompt-folder.ts"
import { savePlace, withFolder } from "../../../src/node/prompt-files/open-prompt-files.ts"
import { shippedProfilesFolder, shippedPromptsFolder } from "../../../src/node/shipped-files.ts"
import { endings } from "../../support/endings.ts"
import { tempFolder } from "../../support/temp-folder.ts"

test("each file of a prompts folder is what its place says", () => {
  const paths = [
    ...["readme.md", "notes.txt", "page.html", ".hidden.md", ".git/config.md", "layered/en/planner.md", "layered/en/planner.txt"],
    ...["layered/planner.md", "layered/en/deep/planner.md", "layered/english/planner.md", "shared/zh-CN/history.md"],
    ...["characters/luna.md", "characters/en/luna.md", "characters/en/luna/state.md", "characters/luna/state.md"],
    ...["characters/en/luna/diary.md", "characters/en/luna/world_book/a.md", "characters/en/luna/world_book/deep/b.md"],
    ...[
      "characters/en/state.md",
      "characters/english/luna/state.md",
      "formats/plain.md",
      "formats/en/plain.md",
      "final/en/short.md",
    ],
    ...["tools/en/read.md", "tools/en/deep/read.md", "toString/en/a.md", "skills/pdf/SKILL.md", "skills/pdf/notes.md"],
    ...["skills/en/diary.md", "skills/diary.md", "cards/mei/card.parts.json", "cards/mei/description.md"],
  ]
  const folder = tempFolder(Object.fromEntries(paths.map((path) => [path, "x"])))
  const found = findPromptFiles(folder).map(
    ({ path, kind, folder: of, locale, name }) => `${path}: ${kind} ${name} in ${of}, ${locale ?? "any language"}`,
  )
  expect(found.join("\n")).toMatchSnapshot()
  expect(findPromptFiles(join(folder, "nowhere"))).toEqual([])
})

test("the traces of a file are read line by line, and a line that is none is told with its place", async () => {
  const trace = { prestart: [], runs: [{ tool: "look" }] }
  const lines = [
    { type: "result", result: { trace } },
    { trace },
    trace,
    { type: "text" },
    { prestart: [], runs: {} },
    { runs: [], prestart: 1 },
    7,
    null,
  ]
  const folder = tempFolder({
    "prompts/readme.md": "x",
    "traces.jsonl": `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\n  \n`,
    "broken.jsonl": `${JSON.stringify(trace)}\n{"trace":\n`,
  })
  const read =
    (...traces: string[]) =>
    async () => {
      const context = await readLintFiles({
        promptFolder: join(folder, "prompts"),
        traces: traces.map((name) => join(folder, name)),
      })
      return context.traces
    }
  const tasks = {
    "every form": read("traces.jsonl"),
    "two files": async () => (await read("traces.jsonl", "traces.jsonl")()).length,
    "a line that is no JSON": read("broken.jsonl"),
    "no file": read("nobody.jsonl"),
    "a profile that is not there": () => readLintFiles({ profiles: [join(folder, "nobody.toml")] }),
    "a locale that is none": () => readLintFiles({ profiles: ["fay"], locale: "français" }),
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/traces.txt")
})

test("a profile's card is checked file by file", async () => {
  const card = {
    name: "Mei",
    description: "",
    first_mes: "Hi",
    alternate_greetings: "→ alternate_greetings/",
    character_book: { entries: "→ lore/" },
  }
  const folder = tempFolder({
    "mei.toml": 'locale = "en"\n[prompt]\ndialect = "tavern"\npersona = "./mei/card.parts.json"\n',
    "mei/card.parts.json": JSON.stringify(card),
    "mei/scenario.md": "{{unknown_macro}} rain",
    "mei/alternate_greetings/001.md": "Hello",
    "mei/alternate_greetings/002.md": "<script>",
    "mei/lore/001.md": "---\nkeys: [a]\nprobability: many\n---\nA",
    "mei/lore/002.md": "---\nkeys: []\n---\nB",
    "bare.toml": '[prompt]\npersona = "./bare.md"\n',
    "bare.md": "You are nobody.",
    "prompts/layered/en/x.md": "x",
  })
  const { profiles } = await readLintFiles({ profiles: [join(folder, "mei.toml"), join(folder, "bare.toml")] })
  const told = profiles.map(({ file, locale, faults }) => [
    `${file} (${locale})`,
    ...faults.map(
      (fault) =>
        `  ${fault.file}:${fault.position.line}:${fault.position.column} ${fault.severity} ${fault.rule}: ${fault.message}`,
    ),
  ])
  expect(told.flat().join("\n").replaceAll(folder, "~")).toMatchSnapshot()
})

test("a file is saved where its profile has its own, and the reason is told where it has none", () => {
  const folder = tempFolder({ "profiles/luna.toml": "", "luna.toml": "", "prompts/a.md": "", "elsewhere/b.md": "" })
  const at = (path: string) => join(folder, path)
  const shippedProfile = join(shippedProfilesFolder, "fay.toml")
  const shippedPrompt = join(shippedPromptsFolder, "layered/en/planner.md")
  const profile = (opened: string, chain: readonly string[], own?: string) => ({ opened, chain, folder: own })
  const luna = profile("luna", [at("profiles/luna.toml"), shippedProfile])
  const inProfiles = profile("luna", [at("profiles/luna.toml")], at("profiles"))
  const places = {
    "a profile's own file": savePlace(at("profiles/luna.toml"), luna),
    "a file beside": savePlace(at("prompts/a.md"), luna),
    "a file that is not there yet": savePlace(at("prompts/new/b.md"), luna),
    "the folder itself": savePlace(folder, luna),
    "a file outside": savePlace("/etc/hosts", luna),
    "a shipped prompt": savePlace(shippedPrompt, luna),
    "a shipped prompt for a folder of its own": savePlace(shippedPrompt, inProfiles),
    "a shipped profile below": savePlace(shippedProfile, luna),
    "a shipped profile by its path": savePlace(shippedProfile, profile("./profiles/fay.toml", [shippedProfile])),
    "a shipped prompt of a profile by its path": savePlace(shippedPrompt, profile(shippedProfile, [shippedProfile])),
    "a profile beside no folder": savePlace(at("elsewhere/b.md"), profile("luna", [at("luna.toml")])),
  }
  const texts = {
    "a new profile": withFolder(undefined, "fay", "../prompts"),
    "an empty one": withFolder("", "fay", "p"),
    "one without the table": withFolder('locale = "en"', "fay", "p"),
    "one with the table": withFolder('[prompt] # mine\npersona = "a"\n', "fay", "p"),
    "one with the table inside of a text": withFolder('x = """\n [prompt]\n"""\n', "fay", "p"),
  }
  const shown = [
    ...Object.entries(places).map(([name, place]) => `${name}: ${JSON.stringify(place)}`),
    ...Object.entries(texts).map(([name, text]) => `${name}: ${JSON.stringify(text)}`),
  ]
  expect(shown.join("\n").replaceAll(folder, "~")).toMatchSnapshot()
})
