import { expect, test } from "vitest"
import { readRollUp, readTopics } from "../../../../src/memory/forgetting/plugin/jobs/written-event.ts"
import { readImportance } from "../../../../src/memory/services/background/importance-step.ts"
import { readKeys } from "../../../../src/memory/services/background/memory-keys.ts"
import { readProfileFields } from "../../../../src/memory/services/background/profile-step.ts"
import { readInsights } from "../../../../src/memory/services/background/reflection.ts"
import { readMerges } from "../../../../src/memory/services/background/tidy-rules.ts"
import { shortRuns } from "../../../support/short-runs.ts"

const lines = ["Ann likes green tea.", "Ann likes tea in the morning.", "Bob has a dog."]

const readers: Readonly<Record<string, { readonly answer: unknown; readonly read: (output: string) => unknown }>> = {
  importance: { answer: { importance: 7 }, read: readImportance },
  keys: {
    answer: {
      keys: [
        { line: 1, words: ["drink"], subject: "Ann", relation: "likes", dates: ["2026-11-23"] },
        { id: 2, words: "dawn" },
      ],
    },
    read: (output) => readKeys(output, lines, "m"),
  },
  profile: {
    answer: { city: "Hangzhou", pet: { value: "dog", confidence: 0.5 }, work: { place: "school" }, likes: ["tea", 5] },
    read: readProfileFields,
  },
  "profile as a list": { answer: [{ field: "city", value: "Hangzhou", confidence: 1 }, { age: 30 }], read: readProfileFields },
  insights: { answer: { insights: [{ text: "Ann likes tea.", sources: [1, "#2"] }, "Bob has a dog."] }, read: readInsights },
  merges: {
    answer: { merges: [{ lines: [1, "2"], text: "Ann likes green tea in the morning." }] },
    read: (output) => readMerges(output, lines),
  },
  topics: {
    answer: [{ event: "They had tea.", importance: 6, message: 2, parts: [{ event: "Ann came.", importance: 3, message: 2 }] }],
    read: readTopics,
  },
  "a summary": { answer: { event: "A calm day.", importance: 4 }, read: readRollUp },
}

const odd = [null, true, "", " x ", "12", 0, -1, 2.5, 99, [], {}, ["x", 3], { value: "v" }]

/** An answer of which the part at a path is something else. */
interface Damage {
  readonly path: string
  readonly is: string
  readonly changed: unknown
}

/** The answer with each of its parts left out, or something else in its place. */
function* damages(value: unknown, put: (changed: unknown) => unknown, path: string): Generator<Damage> {
  for (const other of odd) yield { path, is: JSON.stringify(other), changed: put(other) }
  if (typeof value !== "object" || value === null) return
  for (const [key, member] of Object.entries(value)) {
    const without = Array.isArray(value)
      ? value.filter((_, at) => String(at) !== key)
      : Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    yield { path: at, is: "gone", changed: put(without) }
    const putHere = (changed: unknown) =>
      put(
        Array.isArray(value)
          ? value.map((item, place) => (String(place) === key ? changed : item))
          : { ...value, [key]: changed },
      )
    yield* damages(member, putHere, at)
  }
}

test("what is read of the model's answers in the background, whatever stands in the place of a part", async () => {
  const told: string[] = []
  for (const [name, { answer, read }] of Object.entries(readers)) {
    const answerOf = (output: unknown) => JSON.stringify(read(JSON.stringify(output))) ?? "nothing"
    const outcomes = new Map<string, Map<string, string[]>>()
    for (const { path, is, changed } of damages(answer, (other) => other, "answer")) {
      const paths = outcomes.get(answerOf(changed)) ?? new Map<string, string[]>()
      outcomes.set(answerOf(changed), paths.set(path, [...(paths.get(path) ?? []), is]))
    }
    told.push(`# ${name}\n`, `whole: ${answerOf(answer)}`)
    for (const [outcome, paths] of outcomes)
      told.push(outcome, ...[...paths].map(([path, values]) => `    ${path} is ${values.join(" ")}`))
    told.push("")
  }
  await expect(shortRuns(told.join("\n"))).toMatchFileSnapshot("odd-answers.md")
})
