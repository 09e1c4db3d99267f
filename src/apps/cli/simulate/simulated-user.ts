import { messageOf } from "../../../core/errors.ts"
import { locatedError } from "../../../core/evidence/located-error.ts"
import type { LanguageModel, ModelRequest } from "../../../core/model/language-model.ts"
import { hostPorts } from "../../../core/ports.ts"
import type { Message } from "../../../core/span.ts"
import { readModel } from "../../../loop/turn/read-model.ts"
import { shorten } from "../../../memory/services/shorten-by-rule.ts"
import type { Profile } from "../../../profile/profile.ts"
import { stripThinking } from "../../../reply/thinking.ts"
import { seededRandom } from "../../../testing/deterministic-ports.ts"
import { languageOf, sentencesOf } from "../demo/demo-decision.ts"
import type { Script, ScriptedWords } from "./read-script.ts"

/** The person of a script's `user` lines, who finds words of its own. */
export type SimulatedUser = ReturnType<typeof simulatedUser>

/** A model sees so many of the last lines and answers, and a longer line is shortened. Most of the tokens may be thoughts. */
const [shownLines, maxLineCharacters, maxLineTokens] = [10, 500, 2_000]

/** The model that plays a person, if one does, and how to tell what happens to it. */
interface Player {
  readonly model: LanguageModel | undefined
  readonly note: (text: string) => void
}

/** Makes the person. A model plays it from its persona and the last answers. Without one it says its own sentences, in an order by seed, all before any comes again. */
export function simulatedUser({ persona, file, text }: Script, profile: Profile, { model, note }: Player) {
  const random = seededRandom(2)
  const said: Message[] = []
  let left: string[] = []
  const say = sentencesOf(languageOf(persona.join("\n"), profile.locale.startsWith("zh") ? "zh-CN" : "en"))
  return {
    /** The next line. A model that writes nothing is asked again, without a bound. Throws `script`, at the line of the chat, if it fails or writes nothing again. */
    async next({ source }: ScriptedWords, { day, atMs }: { readonly day: number; readonly atMs: number }): Promise<string> {
      if (model === undefined) {
        if (left.length === 0) left = [...persona]
        return left.splice(Math.floor(random() * left.length), 1).join("")
      }
      const system = say(["user"], { persona: persona.join("\n"), name: profile.agent.name })
      const date = new Date(atMs).toLocaleString("sv-SE", { timeZone: profile.timeZone, dateStyle: "short", timeStyle: "short" })
      const begin: Message[] = [
        { role: "system", content: system },
        { role: "user", content: say(["user-begins"], { date }) },
      ]
      const messages = [...begin, ...said.slice(-2 * shownLines)]
      try {
        let line = await askModel(model, { messages, maxOutputTokens: maxLineTokens }, profile)
        if (line === "") {
          note(`The model of the user wrote no line for day ${day} within ${maxLineTokens} tokens, and is asked without a bound.`)
          line = await askModel(model, { messages }, profile)
        }
        if (line === "") throw new Error("its answer is empty, with and without a bound of tokens.")
        return shorten(line, maxLineCharacters)
      } catch (cause) {
        const message = `the model of the user wrote no line for day ${day}: ${messageOf(cause)}`
        throw locatedError("script", message, { file, text, position: { column: 1, ...source }, cause })
      }
    },
    /** Takes the answer to a line. */
    hear: (line: string, answer: string) => said.push({ role: "assistant", content: line }, { role: "user", content: answer }),
  }
}

/** The model's answer without its thoughts; it may be empty. */
async function askModel(model: LanguageModel, request: ModelRequest, { limits }: Profile): Promise<string> {
  let answer = ""
  await readModel(model, request, {
    ...{ ...hostPorts, limits, signal: new AbortController().signal },
    onPart: (part) => {
      if (part.type === "text-delta") answer += part.delta
    },
  })
  return stripThinking(answer, { opensInThought: model.capabilities.opensInThought ?? false }).trim()
}
