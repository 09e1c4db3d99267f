import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Assembly, Message } from "../../src/core/span.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { diffAssemblies } from "../../src/trace/diff-assemblies.ts"
import { anyItems, anyStep, anyTurn, perCodePoint, stackOf, turnPrompts } from "../prompt/assemble/arbitrary-turn.ts"
import { isLong, runs } from "../support/size.ts"
import { turnState } from "../support/turns.ts"
import { type MessageSketch, sketch } from "./assemblies.ts"

const system: MessageSketch = [
  "system",
  [
    ["persona", "global", "You are Fay."],
    ["planner.md:3", "global", "\n\n"],
    ["mood", "session", "calm"],
  ],
]
const asks: MessageSketch = ["user", [["question", "turn", "Hello?"]]]

/** A request as one list of atoms: two requests part where their lists do. */
function atoms({ messages }: Assembly): string[] {
  return messages.flatMap(({ role, content, toolCalls = [], toolCallId }) => [
    `<${role} ${toolCallId}>`,
    ...content,
    `</${JSON.stringify(toolCalls)}>`,
  ])
}

function sharedAtoms(a: Assembly, b: Assembly): number {
  const [left, right] = [atoms(a), atoms(b)]
  const first = left.findIndex((atom, at) => atom !== right[at])
  return first === -1 ? Math.min(left.length, right.length) : first
}

/** The atoms before a place, with the opening of its message where that is shared too. */
function atomsBefore(
  { messages }: Assembly,
  { message, offset, what }: { message: number; offset: number; what: string },
): number {
  const whole = messages.slice(0, message).reduce((sum, { content }) => sum + [...content].length + 2, 0)
  const opened = what === "text" || (what === "calls" && offset > 0) ? 1 : 0
  return whole + [...(messages[message]?.content.slice(0, offset) ?? "")].length + opened
}

const anyRequest = fc
  .tuple(fc.constantFrom(...turnPrompts), anyItems, anyTurn)
  .map(([where, items, turn]) => assemble(stackOf(items), { ...where, turn, counter: perCodePoint }))

/** A request and one made of nearly the same: its turn asks something else, or has done one thing more. */
const anyNeighbours = fc
  .tuple(fc.constantFrom(...turnPrompts), anyItems, anyItems, anyTurn, anyTurn, fc.array(anyStep, { maxLength: 1 }), fc.nat(2))
  .map(([where, items, others, turn, other, more, kind]) => {
    const changed = [
      { items, turn: { ...turn, steps: [...turn.steps, ...more] } },
      { items, turn: { ...turn, question: other.question } },
      { items: others, turn },
    ][kind] ?? { items, turn }
    const make = (given: typeof changed) => assemble(stackOf(given.items), { ...where, turn: given.turn, counter: perCodePoint })
    return [make({ items, turn }), make(changed)] as const
  })

describe("S15 diffAssemblies", () => {
  test("finds that a request does not differ from itself, nor from its JSON", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const copy = JSON.parse(JSON.stringify(request)) as Assembly
        for (const same of [request, copy]) {
          const difference = diffAssemblies(request, same)
          expect(difference).toMatchObject({ outcome: "none", what: "nothing", sharedTokens: request.tokens, brokeStable: false })
          expect(difference.span).toBeUndefined()
        }
      }),
    )
  })

  test("what stands before the place where two requests part is equal in both, and nothing longer is", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.oneof(anyNeighbours, fc.tuple(anyRequest, anyRequest)), ([previous, next]) => {
        const difference = diffAssemblies(previous, next)
        seen.add(`${difference.outcome} ${difference.what}`)
        const shared = sharedAtoms(previous, next)
        const opensTheSame =
          difference.what === "calls" && difference.offset === 0 && sameOpening(previous, next, difference.message)
        expect(atomsBefore(previous, difference) + (opensTheSame ? 1 : 0)).toBe(shared)
        expect(difference.sharedTokens).toBeLessThanOrEqual(Math.min(previous.tokens, next.tokens))
        const extended = shared === atoms(previous).length || endsOpen(previous, next, shared)
        expect(difference.outcome === "extended" || difference.outcome === "none").toBe(extended)
      }),
      { numRuns: runs(1500) },
    )
    // Few cases may leave a kind out.
    if (isLong)
      expect([...seen]).toEqual(expect.arrayContaining(["none nothing", "extended message", "changed text", "changed role"]))
  })

  test("says the same of two requests whichever comes first, with the sides exchanged", () => {
    fc.assert(
      fc.property(anyNeighbours, ([previous, next]) => {
        const [forth, back] = [diffAssemblies(previous, next), diffAssemblies(next, previous)]
        expect(back).toMatchObject({ message: forth.message, offset: forth.offset, what: forth.what })
        const exchanged = { none: "none", extended: "shortened", shortened: "extended", changed: "changed" } as const
        expect(back.outcome).toBe(exchanged[forth.outcome])
        expect(back.brokeStable).toBe(forth.brokeStable)
        expect([back.excerpt.previous, back.excerpt.next]).toEqual([forth.excerpt.next, forth.excerpt.previous])
      }),
      { numRuns: runs(500) },
    )
  })

  test.each<[string, Assembly, Assembly, object]>([
    [
      "a stable layer in which a character changes",
      sketch(["system", [["persona", "global", "Today is Monday."]]], asks),
      sketch(["system", [["persona", "global", "Today is Mayday."]]], asks),
      { outcome: "changed", message: 0, offset: 10, brokeStable: true, span: { key: "persona", change: "changed", offset: 0 } },
    ],
    [
      "a layer that changes every turn, before stable ones",
      sketch([
        "user",
        [
          ["mood", "turn", "glad"],
          ["persona", "global", "Fay"],
        ],
      ]),
      sketch([
        "user",
        [
          ["mood", "turn", "sad"],
          ["persona", "global", "Fay"],
        ],
      ]),
      { outcome: "changed", brokeStable: false, sharedTokens: 0, span: { key: "mood", stability: "turn" } },
    ],
    [
      "a stable layer that grew at its end",
      sketch([
        "user",
        [
          ["persona", "global", "Fay"],
          ["p.md:1", "turn", " - "],
        ],
      ]),
      sketch([
        "user",
        [
          ["persona", "global", "Fay!"],
          ["p.md:1", "turn", " - "],
        ],
      ]),
      { offset: 3, brokeStable: true, span: { key: "persona", change: "changed" } },
    ],
    [
      "a changing layer that shrank at its end, before a stable one",
      sketch([
        "user",
        [
          ["mood", "turn", "gladly"],
          ["p.md:1", "global", "---"],
        ],
      ]),
      sketch([
        "user",
        [
          ["mood", "turn", "glad"],
          ["p.md:1", "global", "---"],
        ],
      ]),
      { offset: 4, brokeStable: false, span: { key: "mood", change: "changed" } },
    ],
    [
      "a layer that was put between two",
      sketch([
        "system",
        [
          ["persona", "global", "Fay"],
          ["mood", "turn", "glad"],
        ],
      ]),
      sketch([
        "system",
        [
          ["persona", "global", "Fay"],
          ["world", "session", "Earth"],
          ["mood", "turn", "glad"],
        ],
      ]),
      { offset: 3, brokeStable: true, span: { key: "world", change: "added", offset: 3 } },
    ],
    [
      "a layer that is gone, though what follows begins like it",
      sketch([
        "system",
        [
          ["persona", "global", "Fay"],
          ["mood", "turn", "xa"],
          ["world", "global", "xyz"],
        ],
      ]),
      sketch([
        "system",
        [
          ["persona", "global", "Fay"],
          ["world", "global", "xyz"],
        ],
      ]),
      { offset: 4, brokeStable: false, span: { key: "mood", change: "removed", offset: 3 } },
    ],
    [
      "two layers that changed places: the one that changes more often",
      sketch([
        "system",
        [
          ["a", "global", "A"],
          ["b", "turn", "B"],
        ],
      ]),
      sketch([
        "system",
        [
          ["b", "turn", "B"],
          ["a", "global", "A"],
        ],
      ]),
      { offset: 0, brokeStable: false, span: { key: "b", change: "moved" } },
    ],
    [
      "a layer at the end of a message that goes on",
      sketch(system, asks),
      sketch(["system", [...system[1], ["world", "session", "Earth"]]], asks),
      { outcome: "changed", message: 0, offset: 18, brokeStable: true, span: { key: "world", change: "added" } },
    ],
    [
      "further messages",
      sketch(system, asks),
      sketch(system, asks, ["assistant", [["steps", "turn", "{}"]]]),
      { outcome: "extended", what: "message", message: 2, offset: 0, sharedTokens: 24, span: { key: "steps", change: "added" } },
    ],
    [
      "more text in the last message",
      sketch(system, asks),
      sketch(system, ["user", [["question", "turn", "Hello? Fay?"]]]),
      {
        outcome: "extended",
        what: "text",
        message: 1,
        offset: 6,
        brokeStable: false,
        span: { key: "question", change: "changed" },
      },
    ],
    [
      "fewer messages",
      sketch(system, asks),
      sketch(system),
      {
        outcome: "shortened",
        message: 1,
        roles: { previous: "user" },
        brokeStable: false,
        span: { key: "question", change: "removed" },
      },
    ],
    [
      "another role",
      sketch(["system", [["a", "global", "A"]]]),
      sketch(["developer", [["a", "global", "A"]]]),
      {
        outcome: "changed",
        what: "role",
        roles: { previous: "system", next: "developer" },
        brokeStable: true,
        span: { key: "a" },
      },
    ],
    [
      "other native calls behind the same text",
      sketch(asks, ["assistant", [["steps", "turn", "so"]], { toolCalls: [{ id: "1", name: "t", args: "{}" }] }]),
      sketch(asks, ["assistant", [["steps", "turn", "so"]], { toolCalls: [{ id: "1", name: "t", args: '{"x":1}' }] }]),
      { outcome: "changed", what: "calls", message: 1, offset: 2, sharedTokens: 8 },
    ],
    [
      "another call answered",
      sketch(asks, ["tool", [["steps", "turn", "so"]], { toolCallId: "1" }]),
      sketch(asks, ["tool", [["steps", "turn", "so"]], { toolCallId: "2" }]),
      { outcome: "changed", what: "calls", message: 1, offset: 0, span: { key: "steps" } },
    ],
    [
      "messages without a span",
      sketch(asks, ["assistant", [], { toolCalls: [{ id: "1", name: "t", args: "{}" }] }]),
      sketch(asks, ["assistant", [], { toolCalls: [{ id: "2", name: "t", args: "{}" }] }]),
      { outcome: "changed", what: "calls", message: 1, offset: 0, brokeStable: false },
    ],
    [
      "the same text parted into other spans, up to where it changes",
      sketch([
        "user",
        [
          ["a", "global", "one "],
          ["b", "global", "two"],
        ],
      ]),
      sketch([
        "user",
        [
          ["a", "global", "one two"],
          ["b", "global", "!"],
        ],
      ]),
      { outcome: "extended", offset: 7, span: { key: "b" } },
    ],
  ])("names %s", (_, previous, next, expected) => {
    expect(diffAssemblies(previous, next)).toMatchObject(expected)
  })

  test("shows whole characters around the place, on one line, shortened", () => {
    const of = (text: string) => sketch(["user", [["a", "turn", text]]])
    const { excerpt, offset } = diffAssemblies(
      of(`${"x".repeat(90)}\n👨‍👩‍👧 now`),
      of(`${"x".repeat(90)}\n👨‍👩‍👦 now\r\n${"y".repeat(90)}`),
    )
    expect(offset).toBe(90 + 1 + 6)
    expect(excerpt.shared).toMatch(/^…x{47} ⏎ $/)
    expect(excerpt.previous).toBe("👨‍👩‍👧 now")
    expect(excerpt.next).toMatch(/^👨‍👩‍👦 now ⏎ y+…$/u)
  })

  test("never parts a surrogate pair", () => {
    const of = (text: string) => sketch(["user", [["a", "turn", text]]])
    expect(diffAssemblies(of("a😀"), of("a😁")).offset).toBe(1)
    expect(diffAssemblies(of("a😀"), of("a\ud83d")).offset).toBe(1)
  })

  test("reads a long text once", () => {
    const long = "一二三四五 **系统设定**\n---\n".repeat(runs(250_000))
    const of = (text: string) => assemble(stackOf([]), { dialect: "layered", turn: turnState(text), counter: perCodePoint })
    const [previous, next] = [of(`${long}x`), of(`${long}y`)]
    const difference = diffAssemblies(previous, next)
    expect(difference).toMatchObject({ outcome: "changed", span: { key: "question" } })
    // The rules of the text put it into a fence, which closes behind it.
    expect(difference.sharedTokens).toBe(previous.tokens - "x\n```".length)
  })
})

function sameOpening(a: Assembly, b: Assembly, message: number): boolean {
  const [left, right] = [a.messages[message], b.messages[message]]
  return left?.role === right?.role && left?.toolCallId === right?.toolCallId
}

/** True when only the end of the previous request's last message keeps it from being a beginning of the next. */
function endsOpen(previous: Assembly, next: Assembly, shared: number): boolean {
  const last = previous.messages.length - 1
  const calls = (message: Message | undefined) => JSON.stringify(message?.toolCalls ?? [])
  return last >= 0 && shared === atoms(previous).length - 1 && calls(previous.messages[last]) === calls(next.messages[last])
}
