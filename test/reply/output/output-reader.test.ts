import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { pipe } from "../../../src/core/reader.ts"
import { splitBubbles } from "../../../src/reply/output/bubble-reader.ts"
import { configureFormat, emotionBracket, emotionPipe, formatNamed, formats } from "../../../src/reply/output/formats.ts"
import { createTextStage, type OutputFormat, type OutputPart, type OutputReader } from "../../../src/reply/output/output-part.ts"
import { createDelivery, createOutputReader } from "../../../src/reply/output/output-reader.ts"
import { cutRandomly } from "../readings.ts"
import { moodFormat } from "./mood-format.ts"
import { inShort, readParts, unsoundCutting } from "./parts.ts"

const text = (delta: string): OutputPart => ({ type: "text", delta })

/** A stage that holds its last character back. */
function laggard(name: string): OutputReader {
  return createTextStage(() => {
    let held = ""
    return {
      push(delta) {
        const whole = held + delta
        held = whole.slice(-1)
        return [text(whole.slice(0, -1))]
      },
      end: () => [text(held), { type: "event", name, data: null }],
    }
  })
}

describe("the output pipeline", () => {
  test("stages end one after the other, each giving out what it held through those after it", () => {
    const reader = pipe(laggard("first"), laggard("second"))
    expect(inShort(reader.push(text("abc"))).join("")).toBe("a")
    expect(inShort(reader.end()).filter((short) => short !== "")).toEqual([
      "b",
      "c",
      "<second null>",
      "<first null>",
      "<second null>",
    ])
    expect(inShort(readParts(["a", ""], createOutputReader))).toEqual(["a", "/"])
  })

  test("L4, R9: the format is read first, then the bubbles: each emotion stands in its bubble", () => {
    const make = () => createOutputReader({ format: emotionPipe, bubbles: true })
    const answer = "[a] ||| 1\n2\n@br\n[b] ||| 3 @br [c]|||4\n@br"
    expect(inShort(readParts([answer], make))).toEqual(["{a}", "1\n2", "/", "{b}", "3 ", "/", "{c}", "4", "/", "/"])
    expect(unsoundCutting(answer, 2, make)).toBeUndefined()
  })

  test("L4: the same answer under another format", () => {
    const answer = "[a] b @br <empty_reply>"
    expect(inShort(readParts([answer], () => createOutputReader({ format: emotionBracket })))).toEqual([
      "{a}",
      answer.slice(4),
      "/",
    ])
    expect(inShort(readParts([answer], createOutputReader))).toEqual([answer, "/"])
  })

  test("a tool call parts an answer: what follows is a bubble, and a beginning for its format", () => {
    const reader = createOutputReader({ format: emotionBracket, bubbles: true })
    const parts = [
      reader.push(text("[a] wait\n")),
      reader.push({ type: "bubble-end" }),
      reader.push(text("[b] here")),
      reader.end(),
    ]
    expect(inShort(parts.flat())).toEqual(["{a}", "wait", "\n", "/", "{b}", "here", "/"])
  })

  test("further stages read what the bubbles leave", () => {
    const seen: string[] = []
    const stage: OutputReader = {
      push(part) {
        seen.push(part.type)
        return [part]
      },
      end: () => [],
    }
    readParts(["[a] b"], () => createOutputReader({ format: emotionBracket, stages: [stage] }))
    expect(seen).toEqual(["emotion", "text", "bubble-end"])
  })

  test("R9: as one text, delivered bubbles are paragraphs, whatever the cutting", () => {
    const pieces = fc.constantFrom("a", "b\n", " ", "\n", "\n@br\n", "@br", "好")
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.integer(), (list, seed) => {
        const text = list.join("")
        const delivery = createDelivery()
        const reader = createOutputReader({ bubbles: true })
        const cut = cutRandomly(text, mulberry32(seed)).map((delta): OutputPart => ({ type: "text", delta }))
        const parts = [...cut.flatMap((part) => reader.push(part)), ...reader.end()]
        const delivered = parts.map((part) => delivery.push(part))
        const whole = delivered.flatMap(({ bubble }) => (bubble === "" ? [] : [bubble]))
        expect(delivered.map((each) => each.text).join("")).toBe(whole.join("\n\n"))
        expect(whole).toEqual(splitBubbles(text).filter((bubble) => bubble.trim() !== ""))
      }),
    )
  })
})

describe("formats", () => {
  test("L4: three ship, by name; a format of one's own goes before them", () => {
    expect(formats.map(({ name }) => name)).toEqual(["emotion_pipe", "emotion_bracket", "plain"])
    expect(formatNamed("emotion_pipe")).toBe(emotionPipe)
    expect(formatNamed("emotion_tube")).toBeUndefined()
    const own: OutputFormat = { ...moodFormat, name: "plain" }
    expect(formatNamed("plain", [own])).toBe(own)
  })

  test("L4: what its file says goes with a format", () => {
    const format = configureFormat(emotionBracket, { emotions: ["a"] })
    expect(inShort(readParts(["[a] 1\n[a] 2"], () => createOutputReader({ format })))).toEqual(["{a}", "1\n", "{a}", "2", "/"])
  })

  test("L4: a format of one's own is a small reader", () => {
    const make = () => createOutputReader({ format: moodFormat, bubbles: true })
    const answer = "Hi!<mood:happy> So<\n@br\n<mood:sad>bye <mood"
    expect(inShort(readParts([answer], make))).toEqual(["Hi!", '<mood "happy">', " So<", "/", '<mood "sad">', "bye <mood", "/"])
    expect(unsoundCutting(answer, 2, make)).toBeUndefined()
  })

  test("L4: a format that throws breaks no turn: the text goes on as it is, after one warning", () => {
    const bad: OutputFormat = {
      name: "bad",
      createReader: () => ({
        push(delta) {
          if (delta === "b") throw new Error("no b")
          return [text(delta)]
        },
        end() {
          throw new Error("no end")
        },
      }),
    }
    const make = () => createOutputReader({ format: bad })
    expect(inShort(readParts(["a", "b", "c"], make))).toEqual(["a", "!", "bc", "/"])
    expect(readParts(["a"], make)[1]).toEqual({
      type: "warning",
      message: "the reader of the format bad threw; the text passes as it is: no end",
    })
    const unmade: OutputFormat = {
      name: "unmade",
      createReader() {
        throw new Error("not today")
      },
    }
    expect(inShort(readParts(["a", "b"], () => createOutputReader({ format: unmade })))).toEqual(["!", "ab", "/"])
  })

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["nothing", undefined, "expected an array of parts, found nothing."],
    ["a text", "a", "expected an array of parts, found a value of type string."],
    [
      "a promise",
      () => Promise.reject(new Error("late")),
      "expected an array of parts, found a promise; a reader answers at once.",
    ],
    ["null", [null], 'expected parts such as { type: "text", delta }, found null.'],
    ["a gap", [undefined], 'expected parts such as { type: "text", delta }, found undefined.'],
    ["a number", [5], 'expected parts such as { type: "text", delta }, found 5.'],
    ["another type", [{ type: "sound" }], 'expected parts such as { type: "text", delta }, found {"type":"sound"}.'],
    [
      "text without words",
      [text("x"), { type: "text" }],
      'expected parts such as { type: "text", delta }, found {"type":"text"}.',
    ],
    ...[
      { type: "emotion" },
      { type: "emotion", emotion: 5 },
      { type: "event", data: {} },
      { type: "event", name: 5 },
      { type: "warning" },
      { type: "warning", message: null },
      { delta: "a" },
    ].map((part): (typeof wrong)[number] => {
      const shown = JSON.stringify(part)
      return [shown, [{ type: "bubble-end" }, part], `expected parts such as { type: "text", delta }, found ${shown}.`]
    }),
    [
      "a function as data",
      [{ type: "event", name: "n", data: () => 1 }],
      'expected parts such as { type: "text", delta }, found {"type":"event","name":"n"}.',
    ],
    [
      "a long part",
      [{ type: "x".repeat(200) }],
      `expected parts such as { type: "text", delta }, found {"type":"${"x".repeat(91)}.`,
    ],
    ["data that is no JSON", [{ type: "event", name: "n", data: { big: 1n } }], "Do not know how to serialize a BigInt"],
  ]

  test.each(wrong)("L4: a reader that hands over %s breaks no turn: the text passes as it is", (_, parts, message) => {
    const give = () => (typeof parts === "function" ? parts() : parts)
    const format = { name: "odd", createReader: () => ({ push: give, end: give }) } as unknown as OutputFormat
    const read = readParts(["a", "b"], () => createOutputReader({ format }))
    expect(inShort(read)).toEqual(["!", "ab", "/"])
    expect(read[0]).toEqual({
      type: "warning",
      message: `the reader of the format odd threw; the text passes as it is: ${message}`,
    })
  })

  test("L4: what a reader held when it threw is not lost", () => {
    const format: OutputFormat = {
      name: "holding",
      createReader() {
        let held = ""
        return {
          push(delta) {
            held += delta
            if (held.length > 4) throw new Error("too much")
            if (delta !== "!") return []
            const all = held
            held = ""
            return [text(all)]
          },
          end: () => [],
        }
      },
    }
    const make = () => createOutputReader({ format })
    expect(inShort(readParts(["a", "!", "b", "c", "def", "g"], make))).toEqual(["a!", "!", "bcdefg", "/"])
  })
})
