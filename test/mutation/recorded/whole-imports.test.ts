import { describe, expect, test } from "vitest"
import { findKind } from "../../../src/apps/cli/commands/import.ts"
import { filesOfPreset } from "../../../src/apps/cli/import/import-preset.ts"
import type { ImportedFiles } from "../../../src/apps/cli/import/imported-files.ts"
import { filesOfServers } from "../../../src/apps/cli/import/mcp-servers.ts"
import { isPresetJson } from "../../../src/apps/cli/import/preset.ts"
import { filesOfAgents, filesOfWorkspace } from "../../../src/apps/cli/import/workspace-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"

/** All that an import makes, as one text. */
function whole({ name, what, files, report }: ImportedFiles, isShown = (_path: string) => true): string {
  const shown = [...files].filter(([path]) => isShown(path)).map(([path, text]) => `── ${path}\n${text}`)
  return [`${name}: ${what}`, ...report.map((line) => `! ${line}`), ...shown].join("\n")
}

describe("a preset becomes these files", () => {
  const isOwn = (path: string) => !path.startsWith("prompts/") || /(?:chat|depth)\.md$/.test(path)
  /** The parts of a prompt that stay as `tavern` has them are left out. */
  const made = (json: object, locale: "en" | "zh-CN" = "en") =>
    whole(filesOfPreset(json as never, { file: "own.json", locale }), isOwn)
      .replace(/\$\{format\}[\s\S]*?(?=\$\{lorebook\.depth\?)/g, "…\n")
      .replace(/\$\{question\}[\s\S]*?\$\{lorebook\.last\?[\s\S]*?\n\}/g, "…")
  const order = (...names: readonly (string | readonly [string, boolean])[]) => [
    {
      character_id: 100_001,
      order: names.map((name) =>
        typeof name === "string" ? { identifier: name, enabled: true } : { identifier: name[0], enabled: name[1] },
      ),
    },
  ]
  const words = (identifier: string, more: object = {}) => ({ identifier, content: `Words of ${identifier}.`, ...more })
  const inChat = (identifier: string, injection_depth: unknown, more: object = {}) =>
    words(identifier, { injection_position: 1, injection_depth, ...more })

  test.each<[string, object]>([
    ["without an order", { name: "Own", prompts: [words("main"), words("chatHistory"), words("jailbreak")] }],
    [
      "without a history",
      { prompts: [words("a", { role: "user" }), words("b", { role: "assistant" })], prompt_order: order("a", "b") },
    ],
    [
      "with parts on both sides",
      {
        prompts: [
          words("a", { role: "user" }),
          words("b", { role: "user" }),
          words("c", { role: "assistant" }),
          words("d", { role: "x" }),
        ],
        prompt_order: order("a", "chatHistory", "b", "c", "d"),
      },
    ],
    [
      "with parts in the chat",
      {
        prompts: [
          inChat("deep", 3),
          inChat("late", 0),
          inChat("default", "x"),
          inChat("first", 2.5, { injection_order: 1, role: "user" }),
          inChat("empty", 3, { content: " " }),
          inChat("far", 99_999, { injection_order: 200, role: "assistant" }),
          inChat("last", 0, { role: "assistant" }),
        ],
        prompt_order: order("deep", "late", "default", "first", "empty", "far", "last", "chatHistory"),
      },
    ],
    [
      "with every place",
      {
        prompts: [words("main"), words("jailbreak", { forbid_overrides: true })],
        personality_format: "Like {{personality}}, {{char}}",
        scenario_format: "{{scenario}}",
        prompt_order: order(
          "main",
          "worldInfoBefore",
          "worldInfoAfter",
          "charDescription",
          "charPersonality",
          "scenario",
          "dialogueExamples",
          "personaDescription",
          "chatHistory",
          "jailbreak",
        ),
      },
    ],
    [
      "with places switched off",
      {
        prompts: [words("main")],
        personality_format: "no place",
        scenario_format: "In {{scenario}}",
        prompt_order: order(
          "main",
          ["worldInfoBefore", false],
          ["scenario", false],
          ["x", false],
          "gone",
          "scenario",
          "charPersonality",
          "chatHistory",
        ),
      },
    ],
    [
      "with two orders, neither SillyTavern's own",
      {
        prompts: [words("a"), words("b")],
        prompt_order: [
          { character_id: 1, order: [{ identifier: "a" }] },
          { character_id: 2, order: [{ identifier: "b" }] },
        ],
      },
    ],
    [
      "with settings at their ends",
      {
        prompts: [words("main")],
        temp_openai: 2,
        openai_max_tokens: 1,
        openai_max_context: 1e9,
        top_k: 0,
        bias: [],
        list: [1],
        off: false,
        none: null,
        empty: "",
        new_chat_prompt: "Begin {{char}}",
      },
    ],
    ["with settings beyond", { prompts: [words("main")], temperature: 2.1, openai_max_tokens: 0, openai_max_context: 1e10 }],
    ["with settings below", { prompts: [words("main")], temperature: -1, openai_max_tokens: "x" }],
    ["with triggers", { prompts: [words("main", { name: "Main", injection_trigger: ["a"] })] }],
    [
      "with macros",
      {
        prompts: [
          words("main", {
            content:
              "{{char}} {{bot}} <BOT> {{user}} <user> {{// a}} {{trim}}{{noop}}{{newline}}{{random:a}} {{random:a}} {x} $: ${y} $}\r\nb",
          }),
          words("mine", { content: "{{char}} {{// a}} $: ${y} }" }),
        ],
        prompt_order: order("main", "mine", "chatHistory"),
      },
    ],
    ["that has a shipped name", { name: "fay", prompts: [words("main")] }],
    ["of nothing", {}],
    ["of a system prompt", { name: "Sys", content: "You are {{char}}.", post_history: "Go on." }],
    ["of an instruct template", { name: "I", input_sequence: "<|im|>", system_prompt: "Be {{char}}.", wrap: false, stop: ["a"] }],
    ["of an old instruct template", { instruct: { system_prompt: "Be kind.", input_sequence: "x" } }],
    [
      "of a story",
      {
        story_string:
          "A {{system}} $: } {{#if wiBefore}}[{{wiBefore}}]{{/if}} {{#if description}}<{{description}}>\n{{/if}}{{scenario}}{{personality}}{{mesExamples}}{{persona}}{{loreAfter}}{{char}}",
        chat_start: "***",
      },
    ],
    [
      "of a story with open conditions",
      { story_string: "{{#if personality}}P: {{personality}} {{#if mesExamples}}{{mesExamples}}{{#if scenario}}S } $:" },
    ],
    [
      "of a story with what is not followed",
      {
        story_string: "{{#each a}}{{/each}}{{#if zzz}}z{{else}}y{{/if}}{{description}}{{description}}",
        example_separator: "*",
        x: false,
        sysprompt: { content: "Sys." },
        context: { story_string: "{{description}}", chat_start: "Go" },
      },
    ],
    [
      "of a story and its prompts",
      {
        context: { story_string: "{{system}}{{description}}", names_as_stop_strings: true, preset: {} },
        sysprompt: { content: "Sys.", post_history: "Late." },
        instruct: { wrap: true, name: "n" },
      },
    ],
  ])("%s", (_, json) => {
    expect(made(json)).toMatchSnapshot()
  })

  test("in Chinese", () => {
    expect(made({ prompts: [words("main", { content: "{{user}}，你好" }), inChat("deep", 3)] }, "zh-CN")).toMatchSnapshot()
  })

  test.each<[object, boolean]>([
    [{ prompts: [{ identifier: "a" }] }, true],
    [{ prompts: [{ a: 1 }, 3] }, false],
    [{ prompts: [] }, false],
    [{ story_string: "" }, true],
    [{ input_sequence: "" }, true],
    [{ content: "", name: "" }, true],
    [{ content: "" }, false],
    [{ name: "" }, false],
    [{ context: { story_string: "" } }, true],
    [{ instruct: { input_sequence: "" } }, true],
    [{ sysprompt: { content: "", name: "" } }, true],
    [{ context: 3, instruct: {} }, false],
    [{}, false],
  ])("if it is one: %j, %j", (json, expected) => {
    expect(isPresetJson(json as never)).toBe(expected)
  })
})

test("settings of MCP servers become these files", () => {
  const servers = {
    ...{
      "A b": {
        command: "npx",
        args: ["-y", 3, "${X}", "--api-KEY=a"],
        cwd: "/x",
        url: "http://a",
        env: { "A-b": "1", "": "2" },
        headers: {},
      },
    },
    // As JSON, because a test looks for time limits of tests by this name.
    ...{
      "a-b": {
        serverUrl: "http://b",
        headers: { "X-Key": "v", y: "w" },
        disabled: true,
        transport: "sse",
        ...JSON.parse('{"timeout":3}'),
      },
    },
    ...{
      "--": { url: "http://c", type: "http" },
      "---": { url: "http://d\u007f\ud800", type: "sse" },
      none: { args: ["x"], command: "" },
    },
    ...{
      ["x".repeat(70)]: {
        command: "c",
        args: [],
        env: { [`k${"y".repeat(70)}`]: "z" },
        [`s${"z".repeat(70)}`]: 1,
        disabled: false,
        cwd: "",
      },
    },
    ...{
      token: { command: "c", args: ["--token"] },
      secret: { command: "c", args: ["secret"] },
      password: { command: "c", args: ["Password"] },
      plain: { command: "c", args: ["$", "{"] },
    },
  }
  expect(whole(filesOfServers(Object.entries(servers), { file: "settings.json", locale: "zh-CN", env: {} }))).toMatchSnapshot()
  expect(whole(filesOfServers([["a", {}]], { file: "x", locale: "en", env: {} }))).toMatchSnapshot()
})

describe("a workspace becomes these files", () => {
  const made = (files: Readonly<Record<string, string>>) => {
    const folder = tempFolder(files)
    return whole(filesOfWorkspace(`${folder}/claw`, "en"))
  }
  const extra = Object.fromEntries(Array.from({ length: 22 }, (_, at) => [`claw/x${String(at).padStart(2, "0")}.txt`, "x"]))

  test.each<[string, Readonly<Record<string, string>>]>([
    [
      "of all documents",
      {
        "claw/SOUL.md": "\n# S\n",
        "claw/IDENTITY.md": "- **Name:** Bo\n",
        "claw/USER.md": " u ",
        "claw/MEMORY.md": "m",
        "claw/AGENTS.md": " a \n",
        "claw/TOOLS.md": "t",
        "claw/HEARTBEAT.md": "h",
        "claw/BOOT.md": "b",
        "claw/BOOTSTRAP.md": "b",
        "claw/memory/a.md": "n",
        "claw/memory/b.txt": "x",
        "claw/.git": "x",
      },
    ],
    ["with blank rules and much else", { "claw/SOUL.md": "名字：小爪\n", "claw/AGENTS.md": " \n", ...extra }],
    ["with twenty other files", { "claw/SOUL.md": "* 名称: 爪\n", ...Object.fromEntries(Object.entries(extra).slice(0, 20)) }],
    ["with a name nobody chose", { "claw/IDENTITY.md": "- **Name:** (not yet)\n" }],
    [
      "with a name nobody chose, in other brackets",
      { "claw/IDENTITY.md": "Name: _pick one_\n", "claw/SOUL.md": "> NAME： （无）\n" },
    ],
    ["with a name in SOUL.md", { "claw/IDENTITY.md": "no name\n", "claw/SOUL.md": "\t> **Name**: Sol `x`\n" }],
    ["with a name too far down", { "claw/SOUL.md": `${"x".repeat(20_000)}\nName: Far\n` }],
  ])("%s", (_, files) => {
    expect(made(files)).toMatchSnapshot()
  })

  test("and an AGENTS.md these", () => {
    expect(whole(filesOfAgents("\nRun the tests.\n\n", { file: "/work/My Shop/AGENTS.md", locale: "zh-CN" }))).toMatchSnapshot()
  })
})

test.each([
  ["a.json", '{"spec":"lorebook_v3"}'],
  ["a.json", '{"entries":{"0":{"key":["a"]}}}'],
  ["a.json", '{"entries":[{"keys":["a"]}]}'],
  ["a.json", '{"entries":[{"keys":["a"]}],"data":{}}'],
  ["a.json", '{"entries":[{"x":1}]}'],
  ["a.json", '{"spec":"chara_card_v2"}'],
  ["a.json", '{"spec":"chara"}'],
  ["a.json", '{"name":"A","description":""}'],
  ["a.json", '{"name":"A","first_mes":""}'],
  ["a.json", '{"name":"A","mes_example":""}'],
  ["a.json", '{"name":"A","personality":""}'],
  ["a.json", '{"name":"A"}'],
  ["a.json", '{"mcpServers":{"a":{"command":"x"}}}'],
  ["a.json", '{"servers":{"a":{"url":"x"}}}'],
  ["a.json", '{"servers":{"a":{"serverUrl":"x"}}}'],
  ["a.json", '{"servers":{"a":{}}}'],
  ["a.json", '{"story_string":"x"}'],
  ["a.json", '{"mes":"x"}'],
  ["a.jsonl", '{"chat_metadata":{}}\n{"mes":"x"}'],
  ["a.jsonl", '{"user_name":"a","character_name":"b"}\n{"mes":"x"}'],
  ["a.jsonl", '{"user_name":"a"}\n{"mes":"x"}'],
  ["AGENTS.md", "Rules."],
  ["a.md", "---\ntitle: a\nkeys: [a]\n---\nx"],
  ["a.md", "\n---\nalways: true\n---\nx"],
  ["a.md", "---\ntitle: a\n---\nkeys: [a]"],
  ["a.md", "words"],
  ["a.json", "[1]"],
  ["a.json", "{"],
  ["a.png", "\x89PNG\r\n\x1a\n"],
  ["a.charx", "PK\x03\x04"],
  ["a.txt", Uint8Array.of(0x61, 0xff)],
] as const)("%s with %j is of this kind", (name, content) => {
  const bytes = typeof content === "string" && /\x89|PK/.test(content) ? Buffer.from(content, "latin1") : content
  const folder = tempFolder({ [name]: bytes })
  const kind = () => {
    try {
      return findKind(`${folder}/${name}`).kind
    } catch (error) {
      return String((error as Error).message)
        .replaceAll(folder, "")
        .replace(/^.*found/, "found")
    }
  }
  expect(kind()).toMatchSnapshot()
})
