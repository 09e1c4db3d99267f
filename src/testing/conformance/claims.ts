import { PromptStrataError } from "../../core/errors.ts"
import { recordOf } from "../../core/json-access.ts"

/** Throws code `test` unless `holds`; `expected` completes the sentence "expected …". */
export function claim(holds: boolean, expected: string, found: unknown): asserts holds {
  if (holds) return
  throw new PromptStrataError("test", `expected ${expected}; found ${foundWords(found)}.`, {
    evidence: { expected },
    cause: found instanceof Error ? found : undefined,
  })
}

/** Throws code `test` unless two values are the same JSON, in any order of members; `what` names the value. */
export function claimEqual(found: unknown, expected: unknown, what: string): void {
  claim(isSameJson(found, expected), `${what} to be ${JSON.stringify(expected) ?? "undefined"}`, found)
}

/** Throws code `test` unless `run` rejects with the code. */
export async function claimRejects(run: () => Promise<unknown>, code: string, what: string): Promise<void> {
  const outcome = await run().then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  claim(outcome !== undefined, `${what} to be refused with code \`${code}\``, "no error")
  claim(recordOf(outcome.error).code === code, `${what} to be refused with code \`${code}\``, outcome.error)
}

/** Throws code `test` unless two lists of lines are the same byte for byte. The error shows the first line that differs. */
export function claimSameLines(found: readonly string[], expected: readonly string[], what: string): void {
  const longer = found.length > expected.length ? found : expected
  const at = longer.findIndex((_, index) => found[index] !== expected[index])
  claim(at < 0, `line ${at + 1} of ${what} to be ${expected[at] ?? "absent"}`, found[at])
}

/** Throws code `test` if a word is in any line. The error shows those lines. */
export function claimWithout(lines: readonly string[], word: string): void {
  const holding = lines.filter((line) => line.includes(word))
  claim(holding.length === 0, `no line that holds ${JSON.stringify(word)}`, holding)
}

function foundWords(found: unknown): string {
  if (found instanceof Error) return `${found.name}: ${found.message}`
  return JSON.stringify(found) ?? String(found)
}

/** True if two values are the same JSON, in any order of members. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b)
}

function sorted(value: unknown): string | undefined {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
