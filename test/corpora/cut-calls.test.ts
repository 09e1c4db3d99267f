import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { readNativeArguments } from "../../src/loop/turn/calls/native-arguments.ts"
import { dataFolder, dataPresent, readJsonLines, triedOf } from "../support/corpora.ts"
import { cutCallModels, runsOf } from "../support/cut-calls.ts"

type Answers = { readonly ground_truth: readonly Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>[] }

/** The arguments of the right answers of BFCL, as a model writes them: the first of the right values of each. */
function answered(): string[] {
  return ["bfcl-simple-python", "bfcl-live-multiple"]
    .flatMap((file) => readJsonLines<Answers>(`tools/${file}-answers.jsonl`))
    .flatMap(({ ground_truth }) => ground_truth.flatMap((call) => Object.values(call)))
    .map((choices) => JSON.stringify(Object.fromEntries(Object.entries(choices).map(([name, values]) => [name, values[0]]))))
}

/** The arguments of calls in recorded streams: every text that a provider streamed as one, joined. */
function streamed(): string[] {
  const files = readdirSync(`${dataFolder}llm-streams`).filter((file) => file.endsWith(".chunks.txt"))
  return files.flatMap((file) => {
    const pieces = new Map<string, string>()
    for (const line of readFileSync(`${dataFolder}llm-streams/${file}`, "utf8").split("\n")) {
      const event = line.trim().startsWith("{") && safely(line)
      if (!event) continue
      const add = (key: unknown, text: unknown) =>
        typeof text === "string" && pieces.set(String(key), (pieces.get(String(key)) ?? "") + text)
      for (const { delta } of event.choices ?? [])
        for (const call of delta?.tool_calls ?? []) add(`${event.id} ${call.index}`, call.function?.arguments)
      add(`${event.index}`, event.delta?.partial_json)
      if (event.type === "response.function_call_arguments.delta") add(event.item_id, event.delta)
    }
    return [...pieces.values()].filter((text) => text.startsWith("{") && safely(text) !== undefined)
  })
}

interface StreamEvent {
  readonly id?: string
  readonly type?: string
  readonly index?: number
  readonly item_id?: string
  readonly delta?: { readonly partial_json?: string }
  readonly choices?: readonly {
    readonly delta?: {
      readonly tool_calls?: readonly { readonly index?: number; readonly function?: { readonly arguments?: string } }[]
    }
  }[]
}

function safely(text: string): StreamEvent | undefined {
  try {
    return JSON.parse(text) as StreamEvent
  } catch {
    return undefined
  }
}

describe.skipIf(!dataPresent)("recorded calls, cut everywhere", () => {
  const texts = dataPresent ? [...new Set([...answered(), ...streamed()])] : []

  test("no beginning of any call is read as arguments; every whole call is", () => {
    expect(texts.length).toBeGreaterThan(290)
    let cuts = 0
    for (const text of texts) {
      for (const isWhole of [true, false]) {
        if (text !== "{}") expect(readNativeArguments(text, isWhole)).toEqual({ args: JSON.parse(text) })
        for (let end = isWhole ? 1 : 0; end < text.length; end++) {
          expect(readNativeArguments(text.slice(0, end), isWhole).fault?.unfinished, text.slice(0, end)).toBe(true)
          cuts++
        }
      }
    }
    expect(cuts).toBeGreaterThan(40_000)
  })

  // The package of the provider throws at a stream without a finish reason, so that the request is made again.
  const ends = ["length", "stop", "content_filter"]

  test.each(["openaiModel", "aiSdkModel"] as const)(
    "%s: a turn runs none of the cut calls, and tells of each",
    async (adapter) => {
      for (const [at, text] of triedOf(texts, adapter.length, 13).entries()) {
        const cuts = Array.from({ length: text.length - 1 }, (_, end) => text.slice(0, end + 1).toWellFormed())
        const { ran, told } = await runsOf((respond) => cutCallModels(respond)[adapter], cuts, ends[at % ends.length])
        expect(ran, text).toEqual([])
        expect(told).toHaveLength(cuts.length)
      }
    },
  )
})
