import { isJsonObject } from "../../reply/json/json-value.ts"
import { stripThinking } from "../../reply/thinking.ts"
import { readJson } from "./read-json.ts"

const maxCharacters = 4_000
const highest = 10

/** What a scale is called by: its numbers are not the answer. */
const scales = [
  /(?:on )?a scale (?:of|from) 0 to 10/gi,
  /(?:from )?\b[01] ?(?:to|-|~|–|—|到|至) ?10\b/gi,
  /\bout of 10\b/gi,
  /满分(?:为|是)? ?10 ?分?/g,
]
const named =
  /(?:importance|score|rating|重要性|重要度|分数|评分|得分|打分)["'”’]? ?(?:is|为|是|[:=])? ?["'“]?(-?\d{1,9}(?:\.\d{1,9})?)/i
const number = /-?\d{1,9}(?:\.\d{1,9})?/
const fraction = /(-?\d{1,9}(?:\.\d{1,9})?) ?(?:\/|分之) ?(\d{1,9})/
const han = "零一二三四五六七八九十"
const hanNumber = new RegExp(`^[^${han}]{0,12}([${han}]) ?分?[。.!]?$`)

/**
 * The importance in what a model said (T32), from 0 to 10: `7`, `7/10`, `重要性：7`, `{"importance": 7}`, full-width digits, with
 * or without words around it. Undefined where there is no number: that is an outcome, not a default.
 */
export function readImportance(output: string): number | undefined {
  const text = stripThinking(output).slice(0, maxCharacters).normalize("NFKC").replaceAll("−", "-").trim()
  const fromJson = importanceIn(readJson(text))
  if (fromJson !== undefined) return clamp(fromJson)
  const bare = scales.reduce((left, scale) => left.replace(scale, " "), text)
  const told = named.exec(bare)?.[1]
  const [, part, whole] = fraction.exec(bare) ?? []
  if (part !== undefined && (told === undefined || told === part))
    return clamp((Number(part) * highest) / (Number(whole) || highest))
  const found = told ?? number.exec(bare)?.[0]
  if (found !== undefined) return clamp(Number(found))
  const spelled = hanNumber.exec(bare)?.[1]
  return spelled === undefined ? undefined : han.indexOf(spelled)
}

function importanceIn(value: unknown): number | undefined {
  if (Array.isArray(value)) return importanceIn(value[0])
  if (typeof value === "number") return value
  if (typeof value === "string") return readString(value)
  if (typeof value !== "object" || value === null || !isJsonObject(value)) return undefined
  const keys = Object.keys(value)
  const key = keys.find((name) => /^(?:importance|score|rating|重要性|重要度|分数|评分)$/i.test(name.trim()))
  return importanceIn(value[key ?? (keys.length === 1 ? (keys[0] ?? "") : "")])
}

/** A number that a model put between quotation marks. */
function readString(text: string): number | undefined {
  const [, part, whole] = fraction.exec(text) ?? []
  if (part !== undefined) return (Number(part) * highest) / (Number(whole) || highest)
  const found = number.exec(text)?.[0]
  return found === undefined ? undefined : Number(found)
}

function clamp(value: number): number {
  return Math.min(highest, Math.max(0, value))
}
