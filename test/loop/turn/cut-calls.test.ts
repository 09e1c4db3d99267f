import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readNativeArguments } from "../../../src/loop/turn/calls/native-arguments.ts"
import { cutCallModels, runsOf } from "../../support/cut-calls.ts"
import { runs } from "../../support/size.ts"

const samples = [
  '{"to":"bob","amount":1000}',
  '{"items":[{"id":1,"sub":{"n":-2.5e3}},{"id":2}],"note":"a {\\"b\\": [1]} \\\\"}',
  '{"flag":true,"none":null,"text":"北京 😀"}',
]
const adapters = ["openaiModel", "aiSdkModel"] as const

/** Every beginning of a text that is not the whole text. */
const cutsOf = (text: string) => Array.from(text, (_, at) => Array.from(text).slice(0, at).join(""))

describe("a native call that was cut off", () => {
  test.each(
    adapters.flatMap((adapter) => [undefined, "length", "content_filter", "stop", "tool_calls"].map((end) => ({ adapter, end }))),
  )("is told to the model and never run: $adapter, finish reason $end", async ({ adapter, end }) => {
    for (const text of samples) {
      // An answer that ends by itself has no call without arguments that were meant.
      const cuts = cutsOf(text).filter((cut) => cut !== "" || (end !== "stop" && end !== "tool_calls"))
      const { ran, told } = await runsOf((respond) => cutCallModels(respond)[adapter], cuts, end)
      expect(ran).toEqual([])
      // The package of the provider throws at a stream without a finish reason, so that the request is made again.
      if (adapter === "aiSdkModel" && end === undefined) continue
      expect(told).toHaveLength(cuts.length)
      expect(new Set(told)).toEqual(new Set(["调用在参数写完之前中断了，没有执行。请重新完整地发出调用。"]))
    }
  })

  test.each(adapters)("runs if only what follows it was cut off: %s", async (adapter) => {
    const { ran } = await runsOf((respond) => cutCallModels(respond)[adapter], samples, "length")
    expect(ran).toEqual(samples.map((text) => JSON.parse(text)))
  })

  test.each(adapters)("a call without arguments runs if the model ended by itself, else not: %s", async (adapter) => {
    const models = (respond: () => string) => cutCallModels(respond)[adapter]
    expect((await runsOf(models, ["", "{}"], "tool_calls")).ran).toEqual([{}, {}])
    expect((await runsOf(models, [""], "length")).ran).toEqual([])
  })

  test.each(adapters.flatMap((adapter) => ["length", "end_turn", "tool_use", "unheard_of"].map((end) => ({ adapter, end }))))(
    "that the server gave as {} is whole: $adapter, finish reason $end",
    async ({ adapter, end }) => {
      expect((await runsOf((respond) => cutCallModels(respond)[adapter], ["{}"], end)).ran).toEqual([{}])
    },
  )

  test("{} is whole at a server that gives no finish reason", async () => {
    expect((await runsOf((respond) => cutCallModels(respond).openaiModel, ["{}", ""], undefined)).ran).toEqual([{}])
  })

  test("no beginning of any object is read as arguments, whatever is repaired", () => {
    fc.assert(
      fc.property(fc.object({ key: fc.string(), maxDepth: 3 }), fc.nat(), fc.boolean(), (args, at, isWhole) => {
        const text = JSON.stringify(args)
        const cut = text.slice(0, at % text.length)
        expect(readNativeArguments(cut, isWhole).fault !== undefined || cut === "").toBe(true)
        expect(readNativeArguments(text, false)).toEqual({ args: JSON.parse(text) })
      }),
      { numRuns: runs(200) },
    )
  })

  test.each([
    ["single quotes and a last comma", "{'city': '北京',}", { city: "北京" }],
    ["no arguments as null", "null", {}],
    ["a code fence", '```json\n{"a":1}\n```', undefined],
    ["two objects", '{"a":1}{"b":2}', undefined],
  ])("of a whole answer %s is repaired or refused as a decision is, of one that was cut off it is refused", (_, text, args) => {
    const { fault, args: read } = readNativeArguments(text, true)
    expect(fault === undefined ? read : undefined).toEqual(args)
    expect(readNativeArguments(text, false).fault).toBeDefined()
  })
})
