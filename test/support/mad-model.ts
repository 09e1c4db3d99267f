import type { LanguageModel, ModelPart } from "../../src/core/model/language-model.ts"

/** What a step of a mad model does, piece by piece. */
type Piece = ModelPart | "throw" | "throw-garbage" | "stall" | "stall-deaf"

/** A model that does anything a model could do wrong, the same for the same random numbers. */
export function madModel(random: () => number): LanguageModel {
  const pick = <T>(...choices: readonly [T, ...T[]]): T => choices[Math.floor(random() * choices.length)] ?? choices[0]
  const text = (delta: string): ModelPart => ({ type: "text-delta", delta })
  const cut = (whole: string): ModelPart[] => {
    const at = Math.floor(random() * (whole.length + 1))
    return [text(whole.slice(0, at)), text(whole.slice(at))]
  }
  const call = () =>
    JSON.stringify({
      action: "tool",
      tool: pick("echo", "broken", "hanging", "ghost", "__proto__"),
      args: pick({}, { x: 1 }, { x: pick("a", "b") }),
    })
  const stubborn = random() < 0.2 ? JSON.stringify({ action: "tool", tool: "echo", args: {} }) : undefined
  const outputs = (isFinal: boolean): string =>
    (isFinal ? undefined : stubborn) ??
    pick(
      call(),
      call(),
      call(),
      JSON.stringify({ action: "finish", message: pick("好。", "line\nline", "", "   ", "😀") }),
      '{"action":"finish"}',
      '{"action":"finish","message":"cut off in mid-sen',
      '{"action":"tool","tool":"echo","args":{"x":"cut',
      "{{{{[[[[",
      '{"action":"dance"}',
      "just words",
      "",
      "\ud800",
      "<think>never closed",
      "</think>",
      `\`\`\`json\n${call()}`,
      "}".repeat(50),
      "x".repeat(Math.floor(random() * 5_000)),
      '{"action":"finish","message":"a"}{"action":"tool","tool":"echo"}',
    )
  const step = (isFinal: boolean): Piece[] => {
    const pieces: Piece[] = random() < 0.05 ? [] : cut(outputs(isFinal))
    if (random() < 0.1) pieces.splice(Math.floor(random() * 3), 0, pick<Piece>("throw", "throw-garbage", "stall", "stall-deaf"))
    if (random() < 0.1) pieces.push({ type: "tool-call", call: { id: "1", name: "echo", args: "{" } })
    if (random() < 0.2) pieces.unshift({ type: "thinking-delta", delta: "hm" })
    if (random() < 0.3) pieces.push({ type: "usage", usage: { inputTokens: 1 } })
    if (random() < 0.9)
      pieces.push({ type: "finish", reason: pick("stop", "stop", "stop", "stop", "length", "content-filter", "other") })
    return pieces
  }
  return {
    id: "mad",
    capabilities: { developerRole: random() < 0.5, tools: false, opensInThought: random() < 0.1 },
    stream({ facts }, { signal }) {
      if (random() < 0.02) throw new Error("refused at once")
      return play(step(facts?.prompt === "final"), signal, random() < 0.3)
    },
  }
}

function play(pieces: readonly Piece[], signal: AbortSignal, badReturn: boolean): AsyncIterable<ModelPart> {
  let at = 0
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const piece = pieces[at++]
        if (piece === undefined) return { done: true, value: undefined }
        if (piece === "throw") throw new Error("connection lost")
        if (piece === "throw-garbage") throw undefined
        if (piece === "stall-deaf") return new Promise(() => undefined)
        if (piece === "stall") {
          return new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(new Error("late")), { once: true }),
          )
        }
        return { done: false, value: piece }
      },
      return() {
        if (badReturn) throw new Error("return failed")
        return Promise.reject(new Error("return rejected"))
      },
    }),
  }
}
