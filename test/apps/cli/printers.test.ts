import { PassThrough } from "node:stream"
import { describe, expect, test } from "vitest"
import { createEventPrinter, createTerminalReader } from "../../../src/apps/cli/chat/event-printer.ts"
import { createJsonPrinter, createRequestQueue } from "../../../src/apps/cli/chat/turn-printer.ts"
import { createWarningTally } from "../../../src/apps/cli/chat/warning-tally.ts"
import { createInterrupts } from "../../../src/apps/cli/interrupts.ts"
import { createScreen } from "../../../src/apps/cli/io.ts"
import { terminalConfirm } from "../../../src/apps/cli/terminal-confirm.ts"
import { chatWords } from "../../../src/apps/cli/words/command-words.ts"
import { english } from "../../../src/apps/cli/words/translate.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { Assembly } from "../../../src/core/span.ts"
import { printTrace } from "../../../src/trace/print-trace.ts"
import type { TurnTrace } from "../../../src/trace/trace.ts"
import type { TurnEvent, TurnResult } from "../../../src/trace/turn-event.ts"
import { fakeTerminal, jsonLines } from "../../support/terminal.ts"

const words = chatWords("en")
const run = (more: object = {}) => ({
  id: "1",
  tool: "look",
  args: {},
  status: "ok",
  result: " a\nb ",
  durationMs: 12.5,
  ...more,
})
const ended = (result: object) => ({ type: "turn-end", result: { ok: true, text: "", usage: {}, trace: {}, ...result } })

/** Shows events in a pipe with looks as marks. Answers stand behind `>`. */
function shown(events: readonly object[], options: object = {}): string {
  const all: string[] = []
  const push = (text: string): void => void all.push(text)
  const screen = {
    aside: new PassThrough(),
    paint: (look: string, text: string) => `<${look}>${text}</>`,
    answer: (text: string) => push(`>${text}`),
    endLine: () => push("|"),
    note: (text: string) => push(`${text}\n`),
    complain: (text: string) => push(`error: ${text}\n`),
  }
  const warnings = createWarningTally()
  const printer = createEventPrinter(screen, {
    words,
    show: [],
    label: undefined,
    colour: undefined,
    warnings,
    translate: english,
    ...options,
  })
  for (const event of events) printer.event(event as TurnEvent)
  return all.join("")
}

describe("each event on a terminal", () => {
  test.each<[object, string]>([
    [{ type: "prestart-start", id: "1", tool: "t", args: { a: 1 } }, "<dim>→ prestart t(a=1)</>\n"],
    [{ type: "tool-start", id: "1", tool: "t\n", args: {} }, "<dim>→ t ⏎ ()</>\n"],
    [{ type: "tool-end", run: run() }, "<dim>✓ look = a ⏎ b (13 ms)</>\n"],
    [{ type: "prestart-end", run: run({ durationMs: 12.4 }) }, "<dim>✓ look = a ⏎ b (12 ms)</>\n"],
    [{ type: "tool-end", run: run({ status: "failed" }) }, "<dim>✗ look failed: a ⏎ b (13 ms)</>\n"],
    [{ type: "tool-end", run: run({ repeatOf: "0" }) }, "<dim>✓ look = a ⏎ b (repeated call, not run again)</>\n"],
    [
      { type: "tool-end", run: run({ status: "failed", repeatOf: "0" }) },
      "<dim>✗ look failed: a ⏎ b (repeated call, not run again)</>\n",
    ],
    [
      { type: "attachment", attachment: { path: "a b.png", mediaType: "image/png", bytes: 7 } },
      expect.stringMatching(/^<dim>\+ .*a b\.png.* \(image\/png, 7 B\)<\/>\n$/) as unknown as string,
    ],
    [{ type: "empty-reply" }, "<dim>(no answer)</>\n"],
    [{ type: "emotion", emotion: "joy\u0007" }, "<dim>~ joy</>\n"],
    [{ type: "thinking-delta", step: 1, delta: "x" }, "<dim>… thinking</>\n"],
    [{ type: "warning", warning: { kind: "budget", message: "big\u0007" } }, "<dim>! warning: big</>\n"],
    [{ type: "warning", warning: { kind: "document", message: "told already" } }, ""],
    [{ type: "commit", version: 1 }, ""],
    [{ type: "retry", model: "m", delayMs: 1, reason: "r" }, ""],
    [ended({ stopReason: "finish" }), "|"],
    [ended({ stopReason: "stopped" }), "|"],
    [ended({ stopReason: "joined" }), "|"],
    [ended({ stopReason: "truncated" }), "|<yellow>(the answer is cut off: the model broke off in the middle)</>\n"],
    [ended({ stopReason: "max-steps" }), "|<yellow>(the step limit was reached, so the model had to answer)</>\n"],
    [ended({ stopReason: "repeated-call" }), "|<yellow>(the model repeated a call, so it had to answer)</>\n"],
    [
      ended({ stopReason: "awaiting-approval", approvals: [{ summary: "do a" }, { summary: "do b" }] }),
      "|<yellow>(a tool call waits for your consent: do a · do b; /approve allows it, /deny refuses it)</>\n",
    ],
    [
      ended({ stopReason: "awaiting-approval" }),
      "|<yellow>(a tool call waits for your consent: ; /approve allows it, /deny refuses it)</>\n",
    ],
    [ended({ ok: false, error: new PromptStrataError("aborted", "x") }), "|<yellow>aborted</>\n"],
    [ended({ ok: false, error: new PromptStrataError("model", "x") }), "|error: x\n"],
  ])("%j", (event, text) => {
    expect(shown([event])).toEqual(text)
  })

  test("an answer has its label once a turn, before its first words, and the agent's colour", () => {
    const turn = ["a", "", "b"].map((delta) => ({ type: "text-delta", delta }))
    const events = [{ type: "turn-start" }, ...turn, ended({ stopReason: "finish" })]
    const options = { label: "Fay\n", colour: "#1D75B3" }
    const answer = "><bold><#1D75B3>Fay ⏎ :</> </>>a>b|"
    expect(shown([...events, ...events], options)).toBe(answer + answer)
    expect(shown(events)).toBe(">a>b|")
    expect(shown([{ type: "emotion", emotion: "joy" }], options)).toBe("<dim><#1D75B3>~ joy</></>\n")
    expect(shown([{ type: "turn-start" }, ended({ stopReason: "finish" })], options)).toBe("|")
  })

  test("what a reader held is shown at the end, and not in the next turn", () => {
    const turn = [{ type: "turn-start" }, { type: "text-delta", delta: "a\r" }]
    expect(shown([...turn, ended({ stopReason: "finish" })])).toBe(">a>\n|")
    expect(shown([...turn, ...turn, ended({ stopReason: "finish" })])).toBe(">a>a>\n|")
  })

  test("thinking is told once a step, and anew in the next turn", () => {
    const thinks = (step: number) => ({ type: "thinking-delta", step, delta: "x" })
    const told = (events: readonly object[]) => shown(events).split("… thinking").length - 1
    expect(told([thinks(1), thinks(1), thinks(2), thinks(2)])).toBe(2)
    expect(told([thinks(1), { type: "turn-start" }, thinks(1)])).toBe(2)
  })

  test("the trace follows the end where it is wanted", () => {
    const none = { steps: [], prestart: [], runs: [], children: [], warnings: [], recalled: [], lore: [] }
    const trace = { version: 1, process: "main", turnId: "t", usage: {}, ...none } as unknown as TurnTrace
    const end = ended({ stopReason: "finish", trace })
    expect(shown([end])).toBe("|")
    expect(shown([end], { show: ["trace"] })).toBe(`|\n${printTrace(trace)}\n\n`)
  })
})

describe("requests", () => {
  const assembly = (name: string) => ({ name }) as unknown as Assembly
  const start = (step: number) => ({ type: "step-start", step, prompt: "planner", tokens: 1, exact: true }) as const

  test("are shown behind the start of their step, in order, and none outlives its turn", () => {
    const told: unknown[] = []
    const queue = createRequestQueue(({ step }, shown) => told.push([step, (shown as unknown as { name: string }).name]))
    queue.request(assembly("one"))
    queue.before(start(1))
    expect(told).toEqual([])
    queue.request(assembly("two"))
    queue.before({ type: "text-delta", delta: "" })
    queue.before({ type: "text-delta", delta: "" })
    expect(told).toEqual([[1, "one"]])
    queue.before(start(2))
    queue.before({ type: "turn-end" } as TurnEvent)
    expect(told).toEqual([
      [1, "one"],
      [2, "two"],
    ])
    queue.request(assembly("three"))
    queue.before({ type: "turn-end" } as TurnEvent)
    queue.before(start(1))
    queue.before({ type: "commit", version: 1 })
    expect(told).toHaveLength(2)
  })

  /** The lines of JSON for events. */
  function lines(events: readonly object[], show: readonly ("prompt" | "trace")[] = []) {
    const out = new PassThrough()
    let text = ""
    out.setEncoding("utf8").on("data", (part: string) => {
      text += part
    })
    const printer = createJsonPrinter(out, show)
    for (const event of events) {
      printer.request(assembly("r"))
      printer.event(event as TurnEvent)
    }
    out.end()
    return new Promise<ReturnType<typeof jsonLines>>((resolve) => out.on("end", () => resolve(jsonLines(text))))
  }

  test("are lines of JSON only where they are wanted", async () => {
    const events = [start(1), { type: "commit", version: 1 }]
    expect((await lines(events)).map(({ type }) => type)).toEqual(["step-start", "commit"])
    expect(await lines(events, ["prompt"])).toMatchObject([
      { type: "step-start" },
      { type: "prompt", step: 1, prompt: "planner", assembly: { name: "r" } },
      { type: "commit" },
    ])
  })

  test("the end has its trace only where it is wanted, and never bytes; so has that of a child", async () => {
    const attachments = [{ path: "a", mediaType: "b", bytes: 1, base64: "AAAA" }]
    const end = ended({ stopReason: "finish", attachments, trace: { turnId: "t" } })
    const child = { type: "child", id: "1", name: "n", event: end }
    const plain = { ok: true, text: "", usage: {}, stopReason: "finish", attachments: [{ path: "a", mediaType: "b", bytes: 1 }] }
    expect(await lines([end, child])).toEqual([
      { type: "turn-end", result: plain },
      { type: "child", id: "1", name: "n", event: { type: "turn-end", result: plain } },
    ])
    expect((await lines([end], ["trace"]))[0]).toEqual({ type: "turn-end", result: { ...plain, trace: { turnId: "t" } } })
    const failed = {
      type: "turn-end",
      result: { ok: false, error: { code: "x" }, gathered: {}, trace: {} } as unknown as TurnResult,
    }
    expect((await lines([failed]))[0]).toEqual({ type: "turn-end", result: { ok: false, error: { code: "x" }, gathered: {} } })
  })
})

test("warnings of one kind are told once, and counted from the second on", () => {
  const { first, repeated } = createWarningTally()
  const told = ['The tool "a" took 3 s, too long', 'The tool "b" took 9 s (again)', "The tool c took 3 s", "", ""].map(
    (message) => first(message),
  )
  expect(told).toEqual([
    ['The tool "a" took 3 s, too long'],
    ['The tool "b" took 9 s (again)'],
    ["The tool c took 3 s"],
    [""],
    [],
  ])
  expect(repeated()).toEqual([{ message: "", times: 1 }])
  expect(first('The tool "z" took 12 s, late')).toEqual([])
  expect(first('The tool "z" took 12 s, late')).toEqual([])
  expect(repeated()).toEqual([
    { message: 'The tool "a" took 3 s, too long', times: 2 },
    { message: "", times: 1 },
  ])
})

test.each([
  [
    ["a\r", "\nb"],
    ["a", "\nb"],
  ],
  [
    ["a\r", "b"],
    ["a", "\nb"],
  ],
  [["\u0007", ""], []],
  [["a\r"], ["a", "\n"]],
])("a terminal reader turns %j into %j", (chunks, expected) => {
  const reader = createTerminalReader()
  expect([...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]).toEqual(expected)
  expect(reader.end()).toEqual([])
})

describe("a screen", () => {
  test.each([
    [true, "an ans\na note\nwer\nnext"],
    [false, "an answer\nnext"],
  ])("keeps an answer whole for a pipe, and ends its line before a note at a terminal: %s", (terminal, stdout) => {
    const { io, written } = fakeTerminal({ terminal, env: { NO_COLOR: "1" } })
    const screen = createScreen(io)
    screen.answer("an ans")
    screen.note("a note")
    screen.answer("wer")
    screen.answer("")
    screen.endLine()
    screen.endLine()
    screen.answer("next")
    expect(written.stdout).toBe(stdout)
    expect(written.stderr).toBe(terminal ? "" : "a note\n")
  })
})

describe("a question at the terminal", () => {
  const asking = (terminal = true) => {
    const fake = fakeTerminal({ terminal, env: { NO_COLOR: "1" } })
    const interrupts = createInterrupts()
    const context = { io: fake.io, screen: createScreen(fake.io), interrupts, translate: (text: string) => text } as never
    return { ...fake, interrupts, ...terminalConfirm(context, words) }
  }
  const never = new AbortController().signal

  test.each([59, 60, 61, 200])("of %d lines of details shows at most 60", async (count) => {
    const { confirm, askBy, written } = asking()
    askBy(async () => "y")
    const detail = Array.from({ length: count }, (_, at) => `line ${at}`).join("\n")
    expect(await confirm({ tool: "t", summary: "do it", detail }, never)).toBe(true)
    const lines = written.stdout.split("\n").filter((line) => /^line |^…$/.test(line))
    expect([lines.length, lines.at(-1)]).toEqual(count > 60 ? [61, "…"] : [count, `line ${count - 1}`])
  })

  test.each<[string, boolean]>([
    ["y", true],
    [" YES ", true],
    ["yes!", false],
    ["", false],
    ["n", false],
  ])("is answered by %j: %s", async (answer, expected) => {
    const { confirm, askBy, written } = asking()
    const asked: string[] = []
    askBy(async (prompt) => {
      asked.push(prompt)
      return answer
    })
    expect(await confirm({ tool: "t\n", summary: "do\u0007 it" }, never)).toBe(expected)
    expect([asked, written.stdout]).toEqual([["Allow it? [y/N] "], "? t ⏎  wants to do it\n"])
  })

  test("is refused when the turn ends, when the input ends and on Ctrl-C, and lets the input go", async () => {
    const request = { tool: "t", summary: "do it" }
    const aborted = asking()
    const ending = new AbortController()
    const first = aborted.confirm(request, ending.signal)
    await aborted.shows("[y/N]")
    ending.abort()
    expect([await first, aborted.io.stdin.isPaused()]).toEqual([false, true])
    const ended = asking()
    const second = ended.confirm(request, never)
    await ended.shows("[y/N]")
    ended.end()
    expect(await second).toBe(false)
    const pressed = asking()
    void pressed.confirm(request, never)
    await pressed.shows("[y/N]")
    pressed.type("\u0003")
    expect(await pressed.interrupts.left).toBe(130)
  })
})
