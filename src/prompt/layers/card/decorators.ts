import { partsBetween } from "../../encode/line-breaks.ts"
import type { LoreConditions, LorePosition } from "../lorebook/lorebook.ts"

/** The decorators of a V3 entry's content that have an effect (C16). */
export interface Decorators {
  readonly conditions: LoreConditions | undefined
  readonly position: LorePosition | undefined
  readonly scanDepth: number | undefined
  readonly dropFirst: boolean | undefined
  readonly additionalKeys: readonly (readonly string[])[]
  readonly excludedKeys: readonly string[]
}

/** Decorators that are known and valid, by name; each with its values in the order of the text. */
type KnownDecorators = ReadonlyMap<string, readonly string[]>

/**
 * Reads the decorators at the beginning of an entry's content, and returns the content without them. A line `@@@name` is a fallback: it
 * counts if all decorators of its chain before it are unknown or not valid. Of several of one name the first counts, but key lists add up.
 */
export function readDecorators(text: string): { readonly content: string; readonly decorators: Decorators } {
  // A book of many entries has few with decorators.
  if (!/^\s*@@/.test(text)) return { content: text, decorators: none }
  const lines = text.split("\n")
  const found = new Map<string, string[]>()
  let at = 0
  let isOpen = false
  for (; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim()
    if (line === "") continue
    const [, marks, name, value = ""] = /^(@@@?)([A-Za-z_]+)(?:[ \t]+(.*))?$/.exec(line) ?? []
    if (name === undefined) break
    const isFallback = marks === "@@@"
    if (isFallback && !isOpen) continue
    const isGood = isValid(name.toLowerCase(), value.trim())
    isOpen = !isGood
    if (isGood) found.set(name.toLowerCase(), [...(found.get(name.toLowerCase()) ?? []), value.trim()])
  }
  const content = at === 0 ? text : lines.slice(at).join("\n").trim()
  return { content, decorators: decoratorsOf(found) }
}

const isCount = (value: string): boolean => /^-?\d{1,9}$/.test(value)
const isBare = (): boolean => true
const isText = (value: string): boolean => value !== ""

const positions: Readonly<Record<string, LorePosition>> = {
  before_desc: { at: "beforeCharacter" },
  after_desc: { at: "afterCharacter" },
  personality: { at: "personality" },
  scenario: { at: "scenario" },
}

/** The known decorators, each with the test of its value. `instruct_*` ones do not apply to chats. */
const known: Readonly<Record<string, (value: string) => boolean>> = {
  activate: isBare,
  activate_only_after: isCount,
  activate_only_every: (value) => isCount(value) && Number(value) > 0,
  keep_activate_after_match: isBare,
  dont_activate_after_match: isBare,
  dont_activate: isBare,
  depth: isCount,
  reverse_depth: isCount,
  role: (value) => /^(?:assistant|system|user)$/.test(value),
  scan_depth: isCount,
  is_greeting: isCount,
  position: (value) => Object.hasOwn(positions, value),
  ignore_on_max_context: isBare,
  additional_keys: isText,
  exclude_keys: isText,
  is_user_icon: isText,
}

const none = decoratorsOf(new Map())

function isValid(name: string, value: string): boolean {
  return Object.hasOwn(known, name) && known[name]?.(value) === true
}

function decoratorsOf(found: KnownDecorators): Decorators {
  const first = (name: string): string | undefined => found.get(name)?.[0]
  const count = (name: string): number | undefined => (found.has(name) ? Number(first(name)) : undefined)
  const lists = (name: string) => (found.get(name) ?? []).map((value) => partsBetween(value, ","))
  const conditions: LoreConditions = {
    force: found.has("activate") ? "always" : found.has("dont_activate") ? "never" : undefined,
    afterAnswers: count("activate_only_after"),
    everyAnswers: count("activate_only_every"),
    onceIn: found.has("dont_activate_after_match") ? "leave" : found.has("keep_activate_after_match") ? "stay" : undefined,
    greeting: count("is_greeting"),
    userIcon: first("is_user_icon"),
  }
  return {
    conditions: Object.values(conditions).every((one) => one === undefined) ? undefined : conditions,
    position: positionOf(first, count),
    scanDepth: count("scan_depth"),
    dropFirst: found.has("ignore_on_max_context") || undefined,
    additionalKeys: lists("additional_keys"),
    excludedKeys: lists("exclude_keys").flat(),
  }
}

/** A named position goes before a depth, and that before one from the beginning. */
function positionOf(
  first: (name: string) => string | undefined,
  count: (name: string) => number | undefined,
): LorePosition | undefined {
  const named = first("position")
  if (named !== undefined) return positions[named]
  const [depth, reverse] = [count("depth"), count("reverse_depth")]
  const behind = depth ?? reverse
  if (behind === undefined) return undefined
  const role = (first("role") ?? "system") as "system" | "user" | "assistant"
  return { at: "depth", depth: Math.max(0, behind), fromStart: depth === undefined, role }
}
