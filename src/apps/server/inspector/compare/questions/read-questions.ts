import { isRecord } from "../../../../../core/json-access.ts"
import type { AskedQuestion, SaidBefore } from "../question-turn.ts"

/** A question of a file. */
export interface FileQuestion extends AskedQuestion {
  /** From 1. */
  readonly line: number
  /** The answer that its author expects; only a judge reads it. */
  readonly expected?: string | undefined
}

/** The questions of a file, or its mistakes, each with its line. */
export type ReadQuestions =
  | { readonly questions: readonly FileQuestion[]; readonly mistakes?: never }
  | { readonly questions?: never; readonly mistakes: readonly string[] }

/** The most questions of a file. */
const maxQuestions = 1_000

/** The most characters of a question, of an expected answer, and of words before it. */
const maxCharacters = 20_000

/** The most messages before a question. */
const maxBefore = 200

/** Mistakes that are told; the others are counted. */
const maxTold = 10

/**
 * Reads a file of questions: one a line, or JSON Lines if the first line begins with a brace, with `question` and perhaps `history` and
 * `expected`. Blank lines are left out.
 */
export function readQuestions(file: string): ReadQuestions {
  const lines = file.replace(/^\uFEFF/u, "").split(/\r\n|\n|\r/u)
  const first = lines.find((line) => line.trim() !== "")
  if (first === undefined) return { mistakes: ["Expected a question a line, found an empty file."] }
  const isJson = first.trimStart().startsWith("{")
  const questions: FileQuestion[] = []
  const mistakes: string[] = []
  for (const [at, text] of lines.entries()) {
    if (text.trim() === "") continue
    const found = isJson ? readObject(text, at + 1) : readWords(text.trim(), "question", { line: at + 1, question: text.trim() })
    if (typeof found === "string") mistakes.push(`Line ${at + 1}: ${found}`)
    else questions.push(found)
  }
  if (mistakes.length > maxTold)
    mistakes.splice(maxTold, Number.POSITIVE_INFINITY, `${mistakes.length - maxTold} more lines have mistakes.`)
  if (mistakes.length === 0 && questions.length > maxQuestions)
    mistakes.push(`Expected at most ${maxQuestions} questions, found ${questions.length}. Split the file.`)
  return mistakes.length > 0 ? { mistakes } : { questions }
}

function readWords<T>(words: unknown, name: string, value: T): T | string {
  if (typeof words !== "string" || words.trim() === "") return `expected words in "${name}", found ${shown(words)}.`
  return words.length > maxCharacters
    ? `expected at most ${maxCharacters} characters in "${name}", found ${words.length}.`
    : value
}

function readObject(text: string, line: number): FileQuestion | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return `expected a JSON object, as the first line has one; ${(error as Error).message}.`
  }
  if (!isRecord(value)) return `expected a JSON object, found ${shown(value)}.`
  const { question, history, expected, ...others } = value
  const [other] = Object.keys(others)
  if (other !== undefined) return `expected "question", "history" and "expected", found ${shown(other)}.`
  const problem = [
    readWords(question, "question", undefined),
    expected !== undefined && readWords(expected, "expected", undefined),
  ]
  const told = [...problem, history !== undefined && problemOfHistory(history)].find((found) => typeof found === "string")
  if (typeof told === "string") return told
  return {
    line,
    question: String(question),
    history: history as readonly SaidBefore[] | undefined,
    expected: expected as string | undefined,
  }
}

function problemOfHistory(history: unknown): string | undefined {
  if (!Array.isArray(history)) return `expected a list in "history", found ${shown(history)}.`
  if (history.length > maxBefore) return `expected at most ${maxBefore} messages in "history", found ${history.length}.`
  for (const [at, said] of history.entries()) {
    const { role, content, ...others } = isRecord(said) ? said : {}
    if ((role !== "user" && role !== "assistant") || Object.keys(others).length > 0)
      return `expected {"role": "user" or "assistant", "content": …} in "history[${at}]", found ${shown(said)}.`
    const problem = readWords(content, `history[${at}].content`, undefined)
    if (problem !== undefined) return problem
  }
  return undefined
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}
