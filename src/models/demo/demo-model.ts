import { abortedError } from "../../model/aborted-error.ts"
import { cutText } from "../../model/cut-text.ts"
import type { LanguageModel, ModelRequest, TurnFacts } from "../../model/language-model.ts"
import { backgroundAnswer } from "./background-answer.ts"
import { decide } from "./decide.ts"
import { type DemoLocale, languageOf } from "./language.ts"
import { sentencesOf } from "./sentences.ts"

/** Settings of {@link demoModel}. */
export interface DemoModelOptions {
  /** The language for a question that shows none. Default `en`. */
  readonly locale?: DemoLocale
}

const chunkUnits = 6

/**
 * A model without a network that answers by rule, in Chinese and English: it picks tools whose name and description share
 * words with the question, fills the arguments it can find, and answers from their results. It reads `request.facts` alone
 * and always gives the same answer to the same request.
 */
export function demoModel({ locale = "en" }: DemoModelOptions = {}): LanguageModel {
  return {
    id: "demo",
    capabilities: { developerRole: false, tools: false },
    async *stream(request, { signal }) {
      const facts = request.facts ?? factsFromMessages(request)
      const text = backgroundAnswer(facts.prompt, facts.question) ?? answerOf(facts, locale)
      for (const delta of cutText(text, chunkUnits)) {
        if (signal.aborted) throw abortedError(signal)
        yield { type: "text-delta", delta }
      }
      yield { type: "finish", reason: "stop" }
    },
  }
}

function answerOf(facts: TurnFacts, locale: DemoLocale): string {
  const decision = decide(facts, sentencesOf(languageOf(facts.question, locale)))
  return facts.prompt !== "planner" && decision.action === "finish" ? decision.message : JSON.stringify(decision)
}

/** A request that no turn made, such as a background prompt: its last message is all there is. */
function factsFromMessages({ messages }: ModelRequest): TurnFacts {
  const question = messages.at(-1)?.content ?? ""
  return { prompt: "final", question, speaker: "", tools: [], runs: [], prestart: [], memories: [] }
}
