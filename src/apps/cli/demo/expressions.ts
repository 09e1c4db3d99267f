import words from "./words.json" with { type: "json" }

/** Words for operators, and the sign of each that a calculator uses. */
const spoken: ReadonlyMap<string, string> = new Map(Object.entries(words.operators))
const operator = `(?:[-+*/^×÷−＋－＊／]|${[...spoken.keys()].join("|")})`
const prefix = "(?:sqrt|sin|cos|tan|abs|log|ln)"
const operand = `(?:(?:${prefix}|[(（]) *){0,20}-?(?:\\d{1,300}(?:\\.\\d{1,300})?|pi)(?: *[)）!%]){0,20}`
const expression = new RegExp(`-?${operand}(?: *${operator} *-?${operand}){0,200}`, "gi")
const calculates = new RegExp(`[\\d)）!%i] *${operator} *\\S|${prefix}|!`, "i")
const date = /^(?:\d{4}([-/])\d{1,2}\1\d{1,2}|\d{4}-\d{4})$/
const spokenWord = new RegExp([...spoken.keys()].join("|"), "gi")

/** Finds the arithmetic in a text, in order: `帮我算 17*23` → `17*23`. Dates, ranges of years and single numbers do not count. */
export function findExpressions(text: string): readonly string[] {
  return (text.match(expression) ?? [])
    .filter((found) => calculates.test(found) && !date.test(found))
    .map((found) => found.replace(spokenWord, (word) => spoken.get(word.toLowerCase()) ?? word).toLowerCase())
}
