import { expect, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import { secretFinder } from "../../src/core/secrets/find-secrets.ts"
import { redactPieces, redactText } from "../../src/core/secrets/redact.ts"
import type { Message } from "../../src/core/span.ts"
import { diffAssemblies } from "../../src/trace/diff-assemblies.ts"
import { errorWords } from "../../src/trace/error-words.ts"
import { printLore } from "../../src/trace/print-lore.ts"
import { changeInShort, printDifference, printTrace } from "../../src/trace/print-trace.ts"
import { fitColumns, fitColumnsAtEnd, printTable } from "../../src/trace/table.ts"
import type { TurnTrace } from "../../src/trace/trace.ts"
import { type MessageSketch, sketch } from "./assemblies.ts"

const codes = [
  ...["template", "front-matter", "prompt-missing", "prompt", "injection", "encoding", "profile", "profile-missing", "skill"],
  ...["budget", "tool-definition", "tool-collision", "tool-arguments", "tool-timeout", "model", "model-stall", "model-empty"],
  ...["output-schema", "approval", "turn-timeout", "aborted", "empty-question", "decision", "session-conflict"],
  ...["version-conflict", "session-store", "store", "background", "closed", "file", "file-missing", "file-path", "file-outside"],
  ...["file-kind", "file-size", "file-encoding", "file-conflict", "file-busy", "plugin", "mcp", "usage", "missing-dependency"],
  ...["test", "a code of a newer version"],
]

test("the words about every error for the person who writes to a bot", () => {
  const errors = [
    ...codes.map((code) => [code, new PromptStrataError(code as "usage", "x")] as const),
    ...["rate-limit", "credentials", "forbidden", "not-found", "quota", "server", "bad-request"].map(
      (kind) =>
        [`model ${kind}`, new PromptStrataError("model", "x", { evidence: { isRetryable: true, kind } as never })] as const,
    ),
    ...[428, 429, 500].map(
      (status) => [`model ${status}`, new PromptStrataError("model", "x", { evidence: { isRetryable: true, status } })] as const,
    ),
    ["another error", new Error("x")] as const,
    ["429 of another code", new PromptStrataError("store", "x", { evidence: { status: 429 } as never })] as const,
  ]
  const lines = errors.map(([name, error]) => `${name}: ${errorWords(error, "en")} ${errorWords(error, "ZH-tw")}`)
  expect(lines.join("\n")).toMatchSnapshot()
})

const said = (...texts: readonly string[]): MessageSketch => [
  "user",
  texts.map((text, at) => [`k${at}`, at === 0 ? "session" : "turn", text]),
]
const called = (id: string, content = ""): MessageSketch => [
  "assistant",
  content === "" ? [] : [["k", "turn", content]],
  { toolCalls: [{ id, name: "t", args: "{}" }] } as Partial<Message>,
]

test("what changed between two requests, in long and in short", () => {
  const pairs: Readonly<Record<string, readonly [readonly MessageSketch[], readonly MessageSketch[]]>> = {
    nothing: [[said("a")], [said("a")]],
    "nothing at all": [[], []],
    "a message more": [[said("a")], [said("a"), said("b")]],
    "a message less": [[said("ab"), said("b")], [said("ab")]],
    "a longer text": [[said("ab")], [said("abc")]],
    "a shorter text": [[said("abc")], [said("ab")]],
    "another text": [[said("abc", "def")], [said("abc", "xyz")]],
    "another stable text": [[said("abc", "def")], [said("axc", "def")]],
    "another role": [[said("abc")], [["system", [["k0", "session", "abc"]]]]],
    "another call": [[called("1")], [called("2")]],
    "another call behind words": [[called("1", "so")], [called("2", "so")]],
    "a span more in between": [
      [said("abc", "def")],
      [
        [
          "user",
          [
            ["k0", "session", "abc"],
            ["new", "turn", "n"],
            ["k1", "turn", "def"],
          ],
        ],
      ],
    ],
    "a span less": [
      [
        [
          "user",
          [
            ["k0", "session", "abc"],
            ["old", "turn", "n"],
            ["k1", "turn", "def"],
          ],
        ],
      ],
      [said("abc", "def")],
    ],
    "spans in another order": [
      [
        [
          "user",
          [
            ["x", "turn", "1"],
            ["y", "session", "2"],
          ],
        ],
      ],
      [
        [
          "user",
          [
            ["y", "session", "2"],
            ["x", "turn", "1"],
          ],
        ],
      ],
    ],
    "a long way": [
      [said(`${"word ".repeat(20)}old ${"tail ".repeat(20)}`)],
      [said(`${"word ".repeat(20)}new ${"tail ".repeat(20)}`)],
    ],
  }
  const lines = Object.entries(pairs).flatMap(([name, [old, young]]) => {
    const difference = diffAssemblies(sketch(...old), sketch(...young))
    return [`## ${name}`, ...printDifference(difference), changeInShort(difference), JSON.stringify(difference), ""]
  })
  expect(lines.join("\n")).toMatchSnapshot()
})

const none: TurnTrace = {
  ...{
    turnId: "t1",
    process: "main-virtual",
    key: { agent: "a", conversation: "c", audience: "private" },
    startedMs: 0,
    durationMs: 7,
  },
  ...{ prestart: [], steps: [], runs: [], warnings: [], records: [], children: [], usage: {} },
}

test("the head of a turn, with one, none and many of everything", () => {
  const step = { step: 1, prompt: "chat", model: "m", assembly: sketch(said("hi")), output: "", startedMs: 0, durationMs: 1 }
  const run = { id: "1", tool: "t", args: { a: 1 }, status: "ok", result: "r", durationMs: 2 } as const
  const traces: Readonly<Record<string, Partial<TurnTrace>>> = {
    none: {},
    one: { steps: [step], runs: [run] },
    many: { steps: [step, step], runs: [run, { ...run, repeatOf: "1" }, { ...run, status: "failed", result: "no" }] },
    usage: { usage: { inputTokens: 5, outputTokens: 2 } },
    "usage of the input alone": { usage: { inputTokens: 5 } },
    "usage of the output alone": { usage: { outputTokens: 5 } },
    "a child": {
      usage: { inputTokens: 5 },
      runs: [run],
      children: [{ id: "1", name: "n", trace: { ...none, process: "n", steps: [step] } }],
    },
    "a child and no usage": { children: [{ id: "1", name: "n", trace: none }] },
    "a wake": { wake: "a noise" },
    "an answer that was decided": { received: "it was named" },
    "turns that it answers too": { merged: { turns: ["t0", "t00"] } },
    "a turn that waited": { merged: { turns: [], waited: "a tool ran" } },
    memories: {
      recalled: [
        { text: "tea" },
        {
          text: "tea",
          speaker: "Ann",
          score: 0.125,
          why: [
            { signal: "words", share: 0.994 },
            { signal: "time", share: 0.0099 },
          ],
        },
        { text: "tea", score: 1, reranked: 0.5, why: [{ signal: "time", share: 0.01 }] },
      ] as never,
    },
    "a warning and an error": {
      warnings: [{ kind: "tool", message: "w".repeat(600) }],
      error: new PromptStrataError("model", "a\tb", { evidence: { isRetryable: false } }),
    },
    "text that would control a terminal": { wake: "\u001b[31mred", process: "p\u001b" },
  }
  const lines = Object.entries(traces).flatMap(([name, trace]) => [`## ${name}`, printTrace({ ...none, ...trace }), ""])
  expect(lines.join("\n")).toMatchSnapshot()
})

test("why each entry of a lorebook is in or not, and what its place costs", () => {
  const out = [
    "empty",
    "disabled",
    "conditions",
    "character",
    "delay",
    "cooldown",
    "recursion",
    "max recursion",
    "key",
    "required key",
  ]
  const more = ["excluded key", "secondary key", "group", "probability", "room", "a reason of a newer version"]
  const entry = (outcome: string, given: object = {}) => ({ book: "b", entry: outcome, outcome, ...given })
  const request = sketch([
    "user",
    [
      ["lorebook.after/e", "turn", "lore"],
      ["k", "session", "stable"],
      ["q", "turn", "asked"],
    ],
  ])
  const lore = [
    entry("in", { injection: "lorebook.after/e", key: "tea", where: 0 }),
    entry("in", { injection: "lorebook.after/e", always: true }),
    entry("in", { injection: "lost/e", key: "x".repeat(40), where: 2 }),
    ...[...out, ...more].map((outcome) => entry(outcome, { key: "k", where: "lore" })),
  ]
  expect(printLore({ ...request, lore: lore as never })).toMatchSnapshot()
})

test("the shortest key of each shape is a secret, and one that is a character shorter is none", () => {
  const shapes: readonly (readonly [start: string, character: string, least: number])[] = [
    ...["sk", "xai", "pplx", "glpat"].flatMap((name) => [[`${name}-`, "1", 8] as const, [`${name}-`, "a", 16] as const]),
    ...["sk_live_", "pk_test_", "rk_live_"].map((start) => [start, "a", 8] as const),
    ...["gsk_", "hf_", "npm_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"].map((start) => [start, "a", 20] as const),
    ...["xoxb-", "xoxp-"].map((start) => [start, "a", 10] as const),
    ["AIza", "a", 30],
    ["AKIA", "A", 12],
    ["eyJ", "a", 16],
  ]
  const find = secretFinder([], {})
  for (const [start, character, least] of shapes) {
    expect(redactText(`x ${start}${character.repeat(least)} y`, find), start).toBe("x [secret] y")
    expect(redactText(`x ${start}${character.repeat(least - 1)} y`, find), start).toBe(
      `x ${start}${character.repeat(least - 1)} y`,
    )
  }
  const kept = ["Bearer ", "authorization: Basic ", "api_key=", "https://ann:"].map((start) =>
    redactText(`${start}secret1234@host`, find),
  )
  expect(kept).toMatchSnapshot()
  const variables = {
    MY_KEY: "a".repeat(12),
    MY_TOKEN: "b".repeat(11),
    MY_SECRET: "c".repeat(12),
    MY_PASSWORD: "d".repeat(12),
    HOME: "e".repeat(12),
  }
  expect(redactText(Object.values(variables).join(" "), secretFinder([], variables))).toBe(
    `[secret] ${"b".repeat(11)} [secret] [secret] ${"e".repeat(12)}`,
  )
  expect(redactPieces(["a se", "cre", "t b", "secret"], secretFinder(["secret", ""], {}))).toEqual([
    "a [secret]",
    "",
    " b",
    "[secret]",
  ])
})

test("tables and texts at the edge of their columns", () => {
  expect(
    printTable(["a", "long head", "n", "p"], [["x", "y", "1", "5 %"], { rule: "rule" }, ["漢字", "", "1.5", "10 %"], ["z"]]),
  ).toMatchSnapshot()
  expect(printTable(["only"], [])).toBe("  only")
  expect(["abc", "abcd", "漢字", "漢字x", ""].map((text) => [fitColumns(text, 3), fitColumnsAtEnd(text, 3)])).toEqual([
    ["abc", "abc"],
    ["ab…", "…cd"],
    ["漢…", "…字"],
    ["漢…", "…x"],
    ["", ""],
  ])
})
