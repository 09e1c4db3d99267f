import { existsSync, readFileSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { filesOfPreset } from "../../../../src/apps/cli/import/import-preset.ts"
import { isPresetJson, readPreset } from "../../../../src/apps/cli/import/preset.ts"
import { branchText, loreText, promptText } from "../../../../src/apps/cli/import/preset-words.ts"
import { createAgent, renderTemplate } from "../../../../src/index.ts"
import { loadProfile } from "../../../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { run } from "../run.ts"

const preset = {
  temperature: 0.9,
  top_p: 0.95,
  openai_max_context: 8000,
  openai_max_tokens: 300,
  personality_format: "[{{char}} is: {{personality}}]",
  new_chat_prompt: "[Begin]",
  wi_format: "",
  prompts: [
    {
      identifier: "main",
      name: "Main",
      role: "system",
      content: "Write {{char}}'s reply to {{user}}. ${file_load(x)} $: {{// note}}",
    },
    { identifier: "nsfw", name: "Aux", role: "system", content: "{{odd::x}}" },
    { identifier: "late", name: "Late", role: "system", content: "Stay calm.", injection_trigger: ["continue"] },
    {
      identifier: "deep",
      name: "Deep",
      role: "user",
      content: "Remember {{char}}.\n---",
      injection_position: 1,
      injection_depth: 4,
      injection_order: 9,
    },
    {
      identifier: "deeper",
      name: "Deeper",
      role: "system",
      content: "First.",
      injection_position: 1,
      injection_depth: 4,
      injection_order: 8,
    },
    { identifier: "said", name: "Said", role: "user", content: "Hello there." },
    { identifier: "prefill", name: "Prefill", role: "assistant", content: "Sure" },
    { identifier: "off", name: "Off", content: "x" },
  ],
  prompt_order: [
    { character_id: 100_000, order: [] },
    {
      character_id: 100_001,
      order: [
        "main",
        "worldInfoBefore",
        "personaDescription",
        "charDescription",
        "charPersonality",
        "said",
        "nsfw",
        "deep",
        "deeper",
      ]
        .concat(["dialogueExamples", "chatHistory", "late", "prefill", "gone"])
        .map((identifier) => ({ identifier, enabled: true }))
        .concat([
          { identifier: "scenario", enabled: false },
          { identifier: "off", enabled: false },
        ]),
    },
  ],
}
const templates = {
  context: {
    story_string:
      "{{#if system}}{{system}}\n{{/if}}{{#if loreBefore}}{{loreBefore}}\n{{/if}}About {{char}}: {{description}}\n{{#if personality}}Like this: {{personality}}\n{{/if}}{{#unless x}}{{persona}}{{/unless}}",
    chat_start: "***",
    example_separator: "***",
  },
  instruct: { name: "Mine", input_sequence: "<|im_start|>user", wrap: true, stop: [] },
  sysprompt: { name: "Mine", content: "You are {{char}}.", post_history: "Go on." },
}
const card = {
  name: "Mei",
  description: "A keeper.",
  personality: "Calm.",
  scenario: "Rain.",
  first_mes: "Hi",
  system_prompt: "",
}

const namedWords = (name: string, report: string[] = []) => ({
  words: { report, variables: new Map(), drawn: [], room: 100 },
  name,
})

/** Imports a preset, puts a card on it, and returns the prompt of its profile. */
async function imported(json: unknown, name: string, made = name, more: object = {}) {
  const folder = tempFolder({ [`${name}.json`]: JSON.stringify(json), "mei.json": JSON.stringify({ ...card, ...more }) })
  const { code, stderr } = await run(["import", `${folder}/${name}.json`, folder])
  const path = `${folder}/profiles/${made}.toml`
  writeFileSync(path, readFileSync(path, "utf8").replace(/# persona = .*/, 'persona = "../mei.json"'))
  const lint = await run(["lint", path])
  const prompt = await run(["render", path, "--question", "Hello?", "--prompt", "chat"])
  return {
    folder,
    code,
    report: stderr.split(":\n  ").at(-1)?.trimEnd().split("\n  "),
    lint: lint.stdout,
    prompt: prompt.stdout,
    profile: readFileSync(path, "utf8"),
  }
}

test.each([
  [40, "n".repeat(40)],
  [41, "n".repeat(40)],
])("of the name of an order with %d characters the first 40 are told", (characters, shown) => {
  const named = (name: string) => ({ character_id: name, order: [] })
  const json = { prompts: [], prompt_order: [named("other"), named("n".repeat(characters))] }
  const { report } = readPreset(json, { personality: "", scenario: "", examples: "" })
  expect(report[0]).toBe(`prompt_order: of 2 orders, that of ${shown} is followed.`)
})

test.each([
  [60, "n".repeat(60)],
  [61, "n".repeat(60)],
])("of the name of a prompt with %d characters the first 60 are told", (characters, shown) => {
  const prompts = [{ identifier: "a", name: "n".repeat(characters), content: "x" }]
  const json = { prompts, prompt_order: [{ character_id: 1, order: [{ identifier: "a", enabled: false }] }] }
  const { report } = readPreset(json, { personality: "", scenario: "", examples: "" })
  expect(report[0]).toBe(`prompt "${shown}": it is switched off.`)
})

test("words that are said in the chat may ask for the date and the time, which are left for each turn", () => {
  const report: string[] = []
  const words = "Now {{date}}, {{time}}, {{weekday}}, {{isodate}}, {{isotime}}, {{idle_duration}}."
  expect(loreText(words, namedWords("prompt", report))).toBe(words)
  expect(report).toEqual([])
})

describe("a preset of SillyTavern", () => {
  test("becomes a dialect that prints its parts in its order, and a report of each thing that cannot be followed", async () => {
    const { code, report, lint, prompt, profile } = await imported({ ...preset, name: "calm" }, "calm")
    expect({ code, lint }).toEqual({ code: 0, lint: expect.stringMatching(/^0 errors, 0 warnings in/) })
    expect(prompt).toBe(
      [
        ...["══ system", "Write Mei's reply to User. ${file_load(x)} $:", "", "A keeper.", "", "[Mei is: Calm.]", ""],
        ...["══ user", "Hello there.", "", "══ system", "{{odd::x}}", "", "[Begin]", "", "══ user"],
        ...["[instructions]", "First.", "Remember Mei.", "***", "[/instructions]", "", "Hello?", ""],
        ...["Stay calm."].flatMap((words) => ["[instructions]", words, "[/instructions]", ""]),
      ]
        .join("\n")
        .trimEnd()
        .concat("\n"),
    )
    expect(profile).toContain(
      "[model]\ntemperature = 0.9\nmax_output_tokens = 300\n\n[model.extra_fields]\ntop_p = 0.95\n\n[budget]\ntokens = 8000\n",
    )
    expect(report).toEqual([
      "prompt_order: of 2 orders, that of 100001 is followed.",
      'prompt "gone": the preset does not hold it.',
      'prompt "scenario": it is switched off.',
      'prompt "Off": it is switched off.',
      'prompt "Aux": the macro {{odd::x}} is not filled in; the model reads it as it stands.',
      'prompt "Deep": a line of three hyphens is three stars now.',
      'prompt "Late": it stands in every answer, not only in those of its triggers.',
      'prompt "Prefill": words of the assistant behind the history are left out; not every model goes on with them.',
    ])
  })

  test("C14: its parts at a depth stand among the messages of history, in their roles and by their order", async () => {
    const { folder } = await imported(preset, "calm")
    const profile = await loadProfile(`${folder}/profiles/calm.toml`, { env: {} })
    const session = createAgent({ profile, model: scriptedModel(["1", "2", "3"]) }).session("c")
    for (const text of ["a", "b", "c"]) await session.send(text).result
    const { messages } = await session.preview("d", { prompt: "chat" })
    expect(messages.slice(3, -1).map(({ role, content }) => `${role}: ${content}`)).toEqual([
      ...["user: a", "assistant: 1", "user: b", "system: [instructions]\nFirst.\n[/instructions]"],
      ...["user: [instructions]\nRemember Mei.\n***\n[/instructions]", "assistant: 2", "user: c", "assistant: 3"],
    ])
  })

  test("C6: a card's own words take the place of its main prompt and its jailbreak, unless it forbids that", async () => {
    const prompts = [
      { identifier: "main", content: "Main: {{char}} } : ${x}" },
      { identifier: "jailbreak", content: "Be calm." },
    ]
    const order = ["main", "charDescription", "chatHistory", "jailbreak"].map((identifier) => ({ identifier, enabled: true }))
    const json = { prompts, prompt_order: [{ character_id: 100_001, order }] }
    const own = { system_prompt: "Mine.", post_history_instructions: "Late." }
    const around = { system_prompt: "<{{original}}>", post_history_instructions: "({{original}})" }
    const fixed = { ...json, prompts: prompts.map((prompt) => ({ ...prompt, forbid_overrides: true })) }
    const shown = async (given: unknown, more: object) => {
      const { prompt, lint } = await imported(given, "over", "over", more)
      expect(lint).toMatch(/^0 errors, 0 warnings in/)
      return prompt.replace(/══ \w+\n/g, "").replace(/\n+/g, "|")
    }
    const main = "Main: Mei } : ${x}"
    expect(await shown(json, {})).toBe(`${main}|A keeper.|Hello?|[instructions]|Be calm.|[/instructions]|`)
    expect(await shown(json, own)).toBe("Mine.|A keeper.|Hello?|[instructions]|Late.|[/instructions]|")
    expect(await shown(json, around)).toBe(`<|${main}|>|A keeper.|Hello?|[instructions]|(|Be calm.|)|[/instructions]|`)
    expect(await shown(fixed, own)).toMatch(/^Mine\.\|A keeper\.|Main/)
  })

  test("shows what the profile says of its user", async () => {
    const { folder, profile } = await imported(preset, "calm")
    const path = `${folder}/profiles/calm.toml`
    expect(profile).toContain('# description = "who the user is"')
    writeFileSync(path, profile.replace(/# (\[user\])\n# (description = .*)/, "$1\n$2"))
    const { stdout } = await run(["render", path, "--question", "Hello?", "--prompt", "chat"])
    expect(stdout).toContain("\n\nwho the user is\n\nA keeper.")
  })

  test("as context and instruct templates and a system prompt in one file", async () => {
    const { lint, prompt, report } = await imported(templates, "mine")
    expect(lint).toMatch(/^0 errors, 0 warnings in/)
    expect(prompt).toContain("You are Mei.\nAbout Mei:\nA keeper.\nLike this:\nCalm.\n\n***\n")
    expect(prompt).toContain("[instructions]\nGo on.\n[/instructions]")
    expect(report).toEqual([
      "story_string: nothing here is {{x}}, so what depends on it is left out.",
      ...["scenario", "wiafter"].map(
        (name) => `story_string: it has no place for {{${name}}}, so prompts leave that out, as SillyTavern does.`,
      ),
      "instruct.input_sequence: a chat API marks the messages itself.",
      "instruct.wrap: a chat API marks the messages itself.",
      "example_separator: a chat API has nothing like it.",
    ])
  })

  test("C29: follows variables, comments and trim from its first prompt to its last, and leaves chance and time for each turn", async () => {
    const contents = [
      "{{setvar::style::short, {{char}}'s}}{{setvar::n::2}}{{// unused {{getvar::n}} }}",
      "Write {{getvar::style}} way.\n\n{{trim}}\n\nNow. {{addvar::n::3}}{{incvar::n}}{{getvar::n}}{{getvar::none}}",
      'Roll {{roll:1d1}}, be {{random::calm [and] "kind", {{char}}::calm [and] "kind", {{char}}}}.\n[At {{isodate}}]\nOf {{user}}: {{persona}}',
      "{{setglobalvar::late::x}}{{getglobalvar::late}}{{addvar::word::a}}{{addvar::word::b}}{{getvar::word}}{{decvar::none}}",
    ]
    const prompts = [
      ...contents.map((content, at) => ({ identifier: `p${at}`, name: `p${at}`, content })),
      { identifier: "charDescription" },
    ]
    const { lint, prompt, report, profile } = await imported({ prompts, top_p: 1, name: "vars" }, "vars")
    expect(lint).toMatch(/^0 errors, 0 warnings in/)
    expect(prompt).toMatch(
      /^══ system\nWrite short, Mei's way\.Now\. 66\n\nRoll 1, be calm \[and\] "kind", Mei\.\n\[At \d{4}-\d\d-\d\d\]\nOf User:\n\nxab-1\n\nA keeper\.\n/,
    )
    expect(report).toEqual(["prompt_order: the history has no place in it; it stands at the end."])
    expect(profile).toContain('files = ["../lore/vars.md"]')
  })

  test("C29: a $ before a name is a $, and no directive", async () => {
    const content = "{{setvar::price::3}}Of ${{user}} for ${{getvar::price}}, ${{roll:1d1}}, $5 and ${x}.$"
    const prompts = [{ identifier: "p", name: "p", content }, { identifier: "charDescription" }, { identifier: "chatHistory" }]
    const { lint, prompt, report } = await imported({ prompts, top_p: 1, name: "fees" }, "fees")
    expect(lint).toMatch(/^0 errors, 0 warnings in/)
    expect(prompt).toContain("Of $ User for $3, $ 1, $5 and ${x}.$\n")
    expect(report).toEqual(['prompt "p": a $ before a name has a blank behind it; with the name it would be a directive.'])
  })

  test("C29: prints no empty block where its prompts are empty, and a card's own words in one", async () => {
    const identifiers = ["main", "worldInfoBefore", "charDescription", "charPersonality", "scenario", "nsfw", "worldInfoAfter"]
    const order = [...identifiers, "dialogueExamples", "chatHistory", "jailbreak"]
    const texts: Readonly<Record<string, string>> = { main: "Write {{char}}.", nsfw: "", jailbreak: "" }
    const prompts = order.map((identifier) => ({ identifier, name: identifier, content: texts[identifier], marker: true }))
    const json = {
      prompts,
      prompt_order: [{ character_id: 100_001, order: order.map((identifier) => ({ identifier, enabled: true })) }],
    }
    const shown = async (more: object) => (await imported(json, "plain", "plain", more)).prompt
    expect(await shown({})).toBe(
      "══ system\nWrite Mei.\n\nA keeper.\n\nPersonality:\nCalm.\n\nScenario:\nRain.\n\n══ user\nHello?\n",
    )
    expect(await shown({ post_history_instructions: "Late. {{original}}" })).toMatch(
      /\nHello\?\n\n\[instructions\]\nLate\.\n\[\/instructions\]\n$/,
    )
  })

  test.each<[string, object, string, readonly string[]]>([
    [
      "chat completion",
      { ...preset, top_p: 0.5, frequency_penalty: 0.3, presence_penalty: 0, seed: -1, top_k: 40, min_p: 0 },
      "[model]\ntemperature = 0.9\nmax_output_tokens = 300\n\n[model.extra_fields]\ntop_p = 0.5\nfrequency_penalty = 0.3\n# top_k = 40",
      ["top_k = 40"],
    ],
    [
      "text completion",
      { temp: 0.7, top_p: 0.9, rep_pen: 1.1, genamt: 200, min_p: 0.05, typical_p: 1, freq_pen: 3 },
      "[model]\ntemperature = 0.7\nmax_output_tokens = 200\n\n[model.extra_fields]\ntop_p = 0.9\n# min_p = 0.05",
      ["freq_pen: it is left out, because a profile takes a number from -2 to 2 there.", "repetition_penalty = 1.1"],
    ],
    [
      "KoboldAI",
      { temp: 0.6, rep_pen: 1.2, top_a: 0, typical: 0.9, tfs: 1, sampler_order: [6, 0] },
      "[model.extra_fields]\n# typical_p = 0.9",
      ["sampler_order"],
    ],
    ["NovelAI", { temperature: 1.1, tail_free_sampling: 0.95, top_k: 0, repetition_penalty: 2 }, "# tfs = 0.95", ["tfs = 0.95"]],
  ])(
    "C30: settings of samplers for %s go to the model where it takes them, and the others are told",
    async (_, json, expected, told) => {
      const { lint, profile, report } = await imported(json, "warm")
      expect(lint).toMatch(/^0 errors, 0 warnings in/)
      expect(profile).toContain(expected)
      for (const words of told) expect(report?.some((line) => line.startsWith(words))).toBe(true)
    },
  )

  test("as a context template alone", async () => {
    const story = "About {{char}}: {{description}}\n{{loreAfter}}{{wiAfter}}"
    const { lint, prompt, folder } = await imported({ name: "mine", story_string: story }, "mine")
    expect(readFileSync(`${folder}/prompts/mine/en/chat.md`, "utf8").match(/\$\{lorebook\.after\}/g)).toHaveLength(2)
    expect(lint).toMatch(/^0 errors, 0 warnings in/)
    expect(prompt).toContain("About Mei:\nA keeper.")
  })

  test("replaces no file but with --force, and no shipped dialect", async () => {
    const { folder } = await imported(preset, "tavern", "tavern-preset")
    expect(existsSync(`${folder}/prompts/tavern-preset/en/chat.md`)).toBe(true)
    const again = await run(["import", `${folder}/tavern.json`, folder])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("found prompts/tavern-preset/en/chat.md")])
    expect((await run(["import", `${folder}/tavern.json`, folder, "--force", "--locale", "zh"])).code).toBe(0)
    expect(existsSync(`${folder}/prompts/tavern-preset/zh-CN/chat.md`)).toBe(true)
  })

  test("C11: no words of it run in a prompt file", () => {
    const word = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom("${tools}", "$${", "$:", "$}", "}", " : ", "${", "$$", "{{x}}"),
    )
    fc.assert(
      fc.property(
        fc.array(word).map((words) => words.join("")),
        (words) => {
          const given = words
            .replace(/\s+/g, " ")
            .replace(/\{\{[^{}]*\}\}|<(?:char|bot|user)>/gi, "-")
            .trim()
          expect(renderTemplate(promptText(given, namedWords("a")).text)).toBe(given)
          const branch = branchText(given, namedWords("a"))
          expect(renderTemplate(`\${yes?\n${branch}\n:\nno\n}`, { yes: true })).toBe(given)
          expect(renderTemplate(`\${yes?\nyes\n:\n${branch}\n}`, { yes: false })).toBe(given)
        },
      ),
      { numRuns: runs(2_000), seed: seedOf(51) },
    )
  })

  test("of any JSON makes files, whatever its fields are", () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const record = fc.record(
      {
        prompts: fc.array(
          fc.record({
            identifier: fc.oneof(fc.constantFrom("main", "chatHistory"), value),
            content: value,
            role: value,
            injection_position: fc.constantFrom(0, 1),
            injection_depth: value,
          }),
        ),
        prompt_order: fc.oneof(
          value,
          fc.array(
            fc.record({
              character_id: value,
              order: fc.oneof(
                value,
                fc.array(fc.record({ identifier: fc.constantFrom("main", "x", "__proto__"), enabled: value })),
              ),
            }),
          ),
        ),
        story_string: fc.oneof(value, fc.constantFrom("{{#if a}}{{/if}}{{/if}}", "{{#if description}}")),
        content: value,
        name: value,
        instruct: value,
        personality_format: value,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(record, (json) => {
        isPresetJson(json)
        expect(filesOfPreset(json, { file: "a.json", locale: "en" }).files.size).toBeGreaterThan(12)
        expect(readPreset(json, { personality: "", scenario: "", examples: "" }).report).toBeInstanceOf(Array)
      }),
      { numRuns: runs(500), seed: seedOf(52) },
    )
  })
})

test.each<[object, string]>([
  [{ story_string: "{{odd::1}}" }, "story_string"],
  [{ story_string: "x", chat_start: "{{odd::1}}" }, "chat_start"],
  [{ context: { story_string: "x", chat_start: "{{odd::1}}" } }, "chat_start"],
  [{ content: "{{odd::1}}", name: "n" }, "system prompt"],
  [{ content: "x", name: "n", post_history: "{{odd::1}}" }, "post_history"],
])("a macro that is not filled in is told with the field that has it: %j", (json, name) => {
  const { report } = filesOfPreset(json as never, { file: "own.json", locale: "en" })
  expect(report.filter((line) => line.includes("{{odd::1}}"))).toEqual([
    `${name}: the macro {{odd::1}} is not filled in; the model reads it as it stands.`,
  ])
})
