import { expect, test } from "vitest"
import type { HistoryMessage } from "../../../src/core/conversation.ts"
import { fitArguments, fitOldRuns, fitResult, lostBefore, oldRunBounds } from "../../../src/loop/turn/fit-tool-text.ts"
import type { AgentContext, TurnContext } from "../../../src/loop/turn/turn-context.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { printArguments } from "../../../src/prompt/tools/call-arguments.ts"

const counter = { exact: true, count: (text: string) => text.split(/\s+/u).filter((word) => word !== "").length }
const agent = {
  ports: { counter },
  dialect: shippedDialect("layered", "en"),
  profile: { history: {} },
} as unknown as AgentContext
const turnOf = (budgetTokens: number, shownHistory: readonly HistoryMessage[] = []): TurnContext =>
  ({ budgetTokens, agent, progress: { shownHistory } }) as unknown as TurnContext
const words = (count: number, word: string): string => Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ")

/** Each value of `from` to `to`, where what `show` prints changes. */
function changes(from: number, to: number, step: number, show: (at: number) => string): string {
  const lines: string[] = []
  let before = ""
  for (let at = from; at <= to; at += step) {
    const line = show(at)
    if (line !== before) lines.push(`${at}: ${line}`)
    before = line
  }
  return lines.join("\n")
}

const history: readonly HistoryMessage[] = [
  [
    ["a", 300],
    ["b", 120],
  ],
  [["c", 90]],
  [],
  [
    ["d", 400],
    ["e", 50],
  ],
  [
    ["f", 200],
    ["g", 10],
  ],
].map((given, at) => ({
  ...{ role: "user", text: `t${at}`, speaker: { id: "ann", name: "Ann" }, turnId: `t${at}`, atMs: 0 },
  ...(given.length > 0 && {
    runs: given.map(([id, tokens]) => ({
      id: String(id),
      step: 0,
      tool: "t",
      args: id === "d" ? { q: words(150, "q") } : { n: 1 },
      result: words(Number(tokens), String(id)),
    })),
  }),
})) as unknown as readonly HistoryMessage[]

const shown = (messages: readonly HistoryMessage[]): string =>
  messages
    .map(({ runs = [] }) =>
      runs.map(({ id, args, result }) => `${id}${counter.count(printArguments(args))}+${counter.count(result)}`).join(" "),
    )
    .join(" | ")

test("what is left of the runs of earlier turns at every bound, alone and after a cut before", () => {
  for (const mostTokens of [0, 210, 2_000]) {
    const print = (maxTokens: number) => {
      const fitted = fitOldRuns(history, { maxTokens, mostTokens, agent })
      const again = fitOldRuns(fitted, { maxTokens: maxTokens >> 1, mostTokens, agent })
      return `${shown(fitted)} ${JSON.stringify(lostBefore.get(fitted))} then ${shown(again)} ${JSON.stringify(lostBefore.get(again))}`
    }
    expect(changes(1, 1_400, 37, print)).toMatchSnapshot()
  }
})

test("the bounds of runs, and what is left of arguments and results, at every budget", () => {
  const args = { path: "a.md", text: words(400, "w"), list: [1, 2], more: words(120, "m") }
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, words(30, "v")]))
  const print = (budget: number) => {
    const turn = turnOf(budget, history)
    const fitted = [args, many].map((each) =>
      Object.entries(fitArguments(each, turn)).map(([name, value]) => `${name} ${counter.count(String(value))}`),
    )
    const { result, cappedFromCharacters } = fitResult(turn, words(700, "r"))
    return `${oldRunBounds(turn).join(" ")}; ${fitted.map((each) => each.slice(0, 5).join(" ")).join("; ")}; ${counter.count(result)} ${cappedFromCharacters}`
  }
  expect(changes(1, 17_000, 331, print)).toMatchSnapshot()
})
