import { escapeUnits } from "../../prompt/encode/inline.ts"
import { nodeModules, type RecordedRequest } from "./recording.ts"

/** A longer difference is cut: nobody reads more. */
const maxCharacters = 20_000

/**
 * Describes how a request differs from a recorded one, line by line: its settings, its tools, then its messages. Lines that are alike
 * are left out but for some around each difference. The requests must differ.
 */
export function requestDifference(recorded: RecordedRequest, now: RecordedRequest): string {
  const { assert, util } = nodeModules()
  const texts = { actual: linesOf(now), expected: linesOf(recorded) }
  const { message } = new assert.AssertionError({ ...texts, operator: "deepStrictEqual" })
  const shown = util.stripVTControlCharacters(message).replace(/^.*\n\+ actual - expected/u, "+ now - recorded")
  return shown.length > maxCharacters ? `${shown.slice(0, maxCharacters).toWellFormed()}\n…` : shown
}

/** A request as lines, in which every character is seen. */
function linesOf({ messages, tools = [], ...settings }: RecordedRequest): readonly string[] {
  const parts = [settings, ...tools].map((part) => JSON.stringify(part, null, 2))
  for (const { role, content, ...others } of messages)
    parts.push(`# ${role}\n${content.split("\n").map(sentences).join("\n")}`, JSON.stringify(others, null, 2))
  return parts
    .filter((part) => part !== "{}")
    .join("\n\n")
    .replace(/[^\S \n]|[\p{Cf}\p{Cs}]|(?!\n)\p{Cc}/gu, escapeUnits)
    .split("\n")
}

/** A long line sentence by sentence, so that one that differs does not print all of them. */
function sentences(line: string): string {
  return line.length > 160 ? line.replace(/(?:[.!?](?=\s)|[。！？；])(?!$)/gu, "$&\n  ") : line
}
