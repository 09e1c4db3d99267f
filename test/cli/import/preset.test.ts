import { existsSync, readFileSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { filesOfPreset } from "../../../src/cli/import/import-preset.ts"
import { fillText, isPresetJson, readPreset } from "../../../src/cli/import/preset.ts"
import { renderTemplate } from "../../../src/index.ts"
import { runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
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
    { identifier: "nsfw", name: "Aux", role: "system", content: "{{getvar::x}}" },
    { identifier: "late", name: "Late", role: "system", content: "Stay calm.", injection_trigger: ["continue"] },
    {
      identifier: "deep",
      name: "Deep",
      role: "user",
      content: "Remember.",
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
  instruct: { name: "Mine", input_sequence: "<|im_start|>user", wrap: true },
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

/** Imports a preset, puts a card on it, and returns the prompt of its profile. */
async function imported(json: unknown, name: string, made = name) {
  const folder = tempFolder({ [`${name}.json`]: JSON.stringify(json), "mei.json": JSON.stringify(card) })
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

describe("a preset of SillyTavern", () => {
  test("becomes a dialect that prints its parts in its order, and a report of each thing that cannot be followed", async () => {
    const { code, report, lint, prompt, profile } = await imported(preset, "calm")
    expect({ code, lint }).toEqual({ code: 0, lint: expect.stringMatching(/^0 errors, 0 warnings in/) })
    expect(prompt).toBe(
      [
        ...["══ system", "Write Mei's reply to User. ${file_load(x)} $:", "", "A keeper.", "", "[Mei is: Calm.]", ""],
        ...["══ user", "Hello there.", "", "══ system", "{{getvar::x}}", "", "[Begin]", "", "══ user", "Hello?", ""],
        ...["First.", "Remember.", "Stay calm."].flatMap((words) => ["[instructions]", words, "[/instructions]", ""]),
      ]
        .join("\n")
        .trimEnd()
        .concat("\n"),
    )
    expect(profile).toContain("[model]\ntemperature = 0.9\nmax_output_tokens = 300\n\n[budget]\ntokens = 8000\n")
    expect(report).toEqual([
      "prompt_order: of 2 orders, that of 100001 is followed.",
      'prompt "gone": the preset does not hold it.',
      'prompt "scenario": it is switched off.',
      'prompt "Off": it is switched off.',
      'prompt "personaDescription": a profile has no description of its user.',
      'prompt "Aux": the macro {{getvar::x}} is not filled in; the model reads it as it stands.',
      'prompt "Deep": it stands behind the history, not at depth 4 of it.',
      'prompt "Deeper": it stands behind the history, not at depth 4 of it.',
      'prompt "Late": it stands in every answer, not only in those of its triggers.',
      'prompt "Prefill": words of the assistant behind the history are left out; not every model goes on with them.',
      "top_p: a profile has no such setting.",
    ])
  })

  test("as context and instruct templates and a system prompt in one file", async () => {
    const { lint, prompt, report } = await imported(templates, "mine")
    expect(lint).toMatch(/^0 errors, 0 warnings in/)
    expect(prompt).toContain("You are Mei.\n\nAbout Mei: A keeper.\n\nLike this: Calm.\n")
    expect(prompt).toContain("[instructions]\nGo on.\n[/instructions]")
    expect(report).toEqual([
      "story_string: {{#unless x}} is not followed; what it chooses among stands there.",
      "story_string: a profile has no description of its user, so {{persona}} is left out.",
      "instruct.input_sequence: a chat API marks the messages itself.",
      "instruct.wrap: a chat API marks the messages itself.",
      "example_separator: a chat API has nothing like it.",
    ])
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
          expect(renderTemplate(fillText(given, { report: [], name: "a" }).text)).toBe(given)
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
        expect(filesOfPreset({ file: "a.json", json, locale: "en" }).files.size).toBeGreaterThan(12)
        expect(readPreset(json, { personality: "", scenario: "", examples: "" }).report).toBeInstanceOf(Array)
      }),
      { numRuns: runs(500), seed: seedOf(52) },
    )
  })
})
