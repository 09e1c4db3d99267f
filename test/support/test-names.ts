/** First arguments of test, it and describe, also behind a modifier such as `.each(…)` or `.skipIf(…)`. */
const titled = /(?:\b(?:test|it|describe)(?:\.\w+)?|\))\(\s*(?:"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`)/g
/** Rows of a table of cases, which `$name` puts into the test's name. */
const row = /\bname:\s*(?:"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`)/g

/** The names that a test file gives its tests, suites and rows of cases. */
export function testNamesIn(text: string): string[] {
  return [titled, row].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? ""))
}

/** The numbered requirements that names mention: `"T15 counts calls (S1, T16)"` → `T15 S1 T16`. */
export function requirementsIn(names: readonly string[]): Set<string> {
  return new Set(names.flatMap((name) => [...name.matchAll(/(?<![\w-])[CTLSDRMNH]\d+[a-z]?(?!\w)/g)].map(([id]) => id)))
}
