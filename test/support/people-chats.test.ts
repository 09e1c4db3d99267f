import { describe, expect, test } from "vitest"
import { chatHalves, chatLanguages, type PeopleChat, peopleChats } from "./people-chats.ts"

const least = { en: { lines: 1_500, questions: 300, copied: 5 }, zh: { lines: 1_500, questions: 300, copied: 8 } }

/** The words of a text, or its characters in Chinese. */
const wordsOf = (text: string) => text.toLowerCase().match(/\p{sc=Han}|[^\P{L}\p{sc=Han}][\p{L}\p{N}']*|\p{N}+/gu) ?? []

const runs = (text: string, length: number) => {
  const words = wordsOf(text)
  return new Set(words.flatMap((_, i) => (i + length > words.length ? [] : [words.slice(i, i + length).join(" ")])))
}

describe.each(chatLanguages)("the chats in the manner of people (%s)", (language) => {
  const halves = chatHalves.map((half) => peopleChats(language, half))
  const chats = halves.flat()

  test("are many lines and questions, half of the chats held out, some questions without an answer", () => {
    const count = (of: (chat: PeopleChat) => number) => chats.reduce((sum, chat) => sum + of(chat), 0)
    const questions = count((chat) => chat.questions.length)
    const unanswered = count((chat) => chat.questions.filter(({ kind }) => kind === "none").length)
    expect(count((chat) => chat.lines.length)).toBeGreaterThanOrEqual(least[language].lines)
    expect(questions).toBeGreaterThanOrEqual(least[language].questions)
    expect(unanswered / questions).toBeGreaterThan(0.07)
    expect(halves.map((half) => half.length)).toEqual([5, 5])
    expect(new Set(chats.map(({ name }) => name)).size).toBe(10)
  })

  test.each(chats.map((chat) => [chat.name, chat] as const))(
    "%s has different lines in the order of their times",
    (_, { lines }) => {
      expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
      for (const [i, { text, atMs, speaker }] of lines.entries()) {
        expect(text.trim()).toBe(text)
        expect(text).not.toBe("")
        expect(speaker.name).not.toBe("")
        expect(atMs, text).toBeGreaterThan(lines[i - 1]?.atMs ?? 0)
        expect(text).not.toBe(lines[i - 1]?.text)
      }
      expect(new Set(lines.map(({ speaker }) => speaker.id)).size).toBeGreaterThanOrEqual(2)
    },
  )

  test.each(chats.map((chat) => [chat.name, chat] as const))(
    "%s answers its questions, and none of them copies its answer",
    (_, { lines, questions }) => {
      const texts = new Map(lines.map(({ id, text }) => [id, text]))
      const length = least[language].copied
      expect(new Set(questions.map(({ text }) => text)).size).toBe(questions.length)
      for (const { kind, text, evidence } of questions) {
        expect(evidence.length === 0, text).toBe(kind === "none")
        if (kind === "two-step") expect(evidence.length, text).toBeGreaterThanOrEqual(2)
        const asked = runs(text, length)
        for (const id of evidence.flat())
          expect(
            [...runs(texts.get(id) ?? text, length)].filter((run) => asked.has(run)),
            text,
          ).toEqual([])
      }
    },
  )
})
