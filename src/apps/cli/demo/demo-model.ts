import { abortedError, type LanguageModel, type ModelRequest, type TurnFacts } from "../../../core/model/language-model.ts"
import { textChunks } from "../../../core/model/text-chunks.ts"
import { bestSentences } from "../../../memory/forgetting/events/best-sentences.ts"
import { type DemoLocale, demoDecision, languageOf, sentencesOf } from "./demo-decision.ts"

/** Settings of {@link demoModel}. */
interface DemoModelOptions {
  /** The language of the answer if the question itself shows none. Default `en`. */
  readonly locale?: DemoLocale
}

const chunkUnits = 6

/**
 * Creates a model that needs no network and answers by rule, in Chinese and English. It chooses tools whose name and
 * description share words with the question, fills in the arguments that it finds there, and answers from the results. It
 * reads `request.facts` only and is deterministic.
 */
export function demoModel({ locale = "en" }: DemoModelOptions = {}): LanguageModel {
  return {
    id: "demo",
    capabilities: { developerRole: false, tools: false },
    async *stream(request, { signal }) {
      const facts = request.facts ?? factsFromMessages(request)
      const text = backgroundAnswer(facts.prompt, facts.question) ?? answerOf(facts, locale)
      for (const delta of textChunks(text, chunkUnits)) {
        if (signal.aborted) throw abortedError(signal)
        yield { type: "text-delta", delta }
      }
      yield { type: "finish", reason: "stop" }
    },
  }
}

function answerOf(facts: TurnFacts, locale: DemoLocale): string {
  const decision = demoDecision(facts, sentencesOf(languageOf(facts.question, locale)))
  return facts.prompt !== "planner" && decision.action === "finish" ? decision.message : JSON.stringify(decision)
}

/** Facts for a request that was not made by a turn, such as a background prompt. The last message is the question. */
function factsFromMessages({ messages }: ModelRequest): TurnFacts {
  const question = messages.at(-1)?.content ?? ""
  return { prompt: "final", question, speaker: "", tools: [], runs: [], prestart: [], memories: [] }
}

const telling =
  /\d|我叫|我是|我在|我住|我喜欢|我爱|我讨厌|我的|记得|记住|生日|约定|my name|i am |i'm |i live|i like|i love|i hate|my |remember|birthday|promise/i

const facts: readonly (readonly [string, RegExp])[] = [
  ["name", /\bmy name is ([\p{L}'-]{1,30})/iu],
  ["home", /\bi live in ([\p{L}'-]{1,30})/iu],
  ["姓名", /我叫([\p{Script=Han}A-Za-z]{1,12})/u],
  ["住处", /我住在([\p{Script=Han}A-Za-z]{1,12})/u],
]

/** The facts that somebody tells of themselves in plain words. */
function factsIn(said: string): Readonly<Record<string, string>> {
  const found = facts.map(([name, pattern]) => [name, pattern.exec(said)?.[1]?.trim() ?? ""] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== ""))
}

const speaker = { id: "", name: "" }

/** True if somebody tells something: it is neither small talk nor a mere question. */
function tells(said: string): boolean {
  const message = { role: "user", text: said, speaker, turnId: "", atMs: 0 } as const
  return telling.test(said) || bestSentences([message], said.length, new Map()).some(({ worth }) => worth >= 2)
}

/** The answer to a background prompt; undefined for a prompt of a turn. What tells something is important, anything else is not. */
function backgroundAnswer(prompt: string, said: string): string | undefined {
  if (prompt === "user-profile") return "{}"
  if (prompt === "tidy" || prompt === "reflection") return "[]"
  if (prompt !== "importance" && prompt !== "learn" && prompt !== "importance-and-profile") return undefined
  const importance = tells(said) ? 6 : 2
  if (prompt === "importance") return String(importance)
  if (prompt === "importance-and-profile") return JSON.stringify({ importance, profile: {} })
  return JSON.stringify({ importance, notes: importance > 2 ? [said.trim()] : [], profile: factsIn(said) })
}
