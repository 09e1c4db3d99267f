import { checkOptions, shownValue as shown } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { positionAt, type Source } from "../../core/source.ts"
import {
  defined,
  type FitRule,
  type Injection,
  type InjectionRole,
  isEmptyValue,
  isText,
  priority,
  type Scope,
  type SlotValue,
  type Trust,
} from "../../core/value.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import { isEncodedText } from "../encode/marked-text.ts"
import { sanitise } from "../encode/sanitise.ts"

/** An injection as a caller writes it. Fields that are left out have the defaults of S1; the default trust is `author`. */
export type InjectionInput = Pick<Injection, "key" | "content"> & InjectionOptions

/** The fields of an injection beside its key and content. */
export type InjectionOptions = Partial<Omit<Injection, "key" | "content">>

const roles: ReadonlySet<InjectionRole> = new Set<InjectionRole>(["system", "developer"])
const scopes: ReadonlySet<Scope> = new Set<Scope>(["global", "session", "turn"])
const shrinks: ReadonlySet<FitRule["shrink"]> = new Set<FitRule["shrink"]>(["drop", "entries", "head", "tail", "headTail"])
export const trusts: ReadonlySet<Trust> = new Set<Trust>(["author", "user", "agent", "tool", "memory"])

/** Orders injections by ascending priority. */
export function byPriority(a: Injection, b: Injection): number {
  return a.priority - b.priority
}

/**
 * Completes an injection and trims its text; `undefined` if its content is blank (S3). Throws with code `injection` for a key
 * that is not one visible line, and for fields outside their range, and with `usage` for an unknown field.
 */
export function toInjection(input: InjectionInput): Injection | undefined {
  // Code without types can pass no item at all.
  const { key, content, ...options } = input ?? ({} as InjectionInput)
  checkKey(key)
  // A misspelt `trust` would make an author's text of a tool's.
  checkOptions(`The injection ${shown(key)}`, options, "trust priority role scope stability enabled fit source")
  const problem = contentProblem(content, 0)
  if (problem !== undefined)
    throw fault(
      `Expected a string, a boolean, a text or a list of entries as content of ${shown(key)}, found ${problem}.`,
      "Turn other values into text before adding them.",
    )
  if (isEmptyValue(content)) return undefined
  const injection: Injection = {
    key,
    ...trimmed(content, options.source),
    trust: options.trust ?? "author",
    priority: options.priority ?? priority.default,
    role: options.role ?? "system",
    scope: options.scope ?? "turn",
    enabled: options.enabled ?? true,
    ...defined({ fit: options.fit, stability: options.stability }),
  }
  checkFields(injection)
  return injection
}

function checkKey(key: unknown): void {
  const good =
    typeof key === "string" && key.trim() !== "" && !hasLineBreak(key) && !key.includes("\t") && sanitise(key).removed === 0
  if (good) return
  throw fault(
    `Expected a key of one line without control characters, found ${shown(key)}.`,
    'Name what the item is, such as "world_book".',
  )
}

/** The deepest nesting of entries. It stops entries that hold themselves before the call stack is full. */
const maxDepth = 32

/** Says which part of a value, from code without types, is no {@link SlotValue}; `undefined` if all of it is. */
function contentProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === "string" || typeof value === "boolean") return undefined
  if (depth > maxDepth) return `entries nested more than ${maxDepth} levels deep`
  if (Array.isArray(value)) return entriesProblem(value, depth)
  if (typeof value !== "object" || value === null || !("text" in value) || typeof value.text !== "string") return shown(value)
  const trust = "trust" in value ? value.trust : undefined
  return trusts.has(trust as Trust) ? undefined : `a text of trust ${shown(trust)}`
}

function entriesProblem(entries: readonly unknown[], depth: number): string | undefined {
  for (const entry of entries) {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return `${shown(entry)} in place of an entry`
    for (const value of Object.values(entry)) {
      const problem = value === undefined ? undefined : contentProblem(value, depth + 1)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function checkFields({ key, priority, role, scope, stability = "session", trust, enabled, fit, source }: Injection): void {
  if (!Number.isFinite(priority)) throw fault(`Expected a finite priority of ${shown(key)}, found ${shown(priority)}.`)
  if (!roles.has(role)) throw fault(`Expected role system or developer of ${shown(key)}, found ${shown(role)}.`)
  if (!scopes.has(scope)) throw fault(`Expected scope global, session or turn of ${shown(key)}, found ${shown(scope)}.`)
  if (stability !== "session") throw fault(`Expected stability session, or none, of ${shown(key)}, found ${shown(stability)}.`)
  if (!trusts.has(trust)) throw fault(`Expected trust ${[...trusts].join(", ")} of ${shown(key)}, found ${shown(trust)}.`)
  if (typeof enabled !== "boolean") throw fault(`Expected enabled true or false of ${shown(key)}, found ${shown(enabled)}.`)
  if (fit !== undefined && !isFit(fit))
    throw fault(`Expected a fit of ${shown(key)} with a finite rank, whole token counts and shrink ${[...shrinks].join(", ")}.`)
  if (source !== undefined && !isSource(source)) throw fault(`Expected a source of ${shown(key)} with a file and a line.`)
}

function isFit(fit: unknown): boolean {
  if (typeof fit !== "object" || fit === null) return false
  const { rank, minTokens = 0, maxTokens = 0, shrink } = fit as Partial<FitRule>
  const isMeasured = Number.isFinite(rank) && Number.isFinite(minTokens) && Number.isFinite(maxTokens)
  return isMeasured && shrink !== undefined && shrinks.has(shrink)
}

function isSource(source: unknown): boolean {
  if (typeof source !== "object" || source === null) return false
  const { file, line } = source as Partial<Source>
  return typeof file === "string" && Number.isFinite(line)
}

/**
 * Trims content, and moves its source to the first line that is left. A text without blank ends stays the same object, because
 * encoded and cut texts are known by identity.
 */
function trimmed(content: SlotValue, source: Source | undefined): Pick<Injection, "content" | "source"> {
  if (typeof content === "string") return { content: content.trim(), ...moved(source, content) }
  const beside = source ? { source } : {}
  if (!isText(content) || isEncodedText(content) || content.text.trim() === content.text) return { content, ...beside }
  return { content: { ...content, text: content.text.trim(), ...moved(content.source, content.text) }, ...beside }
}

function moved(source: Source | undefined, text: string): { readonly source?: Source } {
  if (!source) return {}
  const { line } = positionAt(text, text.length - text.trimStart().length)
  return { source: line === 1 ? source : { file: source.file, line: source.line + line - 1 } }
}

function fault(message: string, hint?: string): PromptStrataError {
  return new PromptStrataError("injection", message, { hint })
}

/** The error for an item that no turn may add. */
export function globalOnFork(key: string): PromptStrataError {
  const message = `Expected scope turn or session of ${JSON.stringify(key)} on the stack of a turn, found global.`
  const hint = "Add global items to the profile, to createAgent or to a session's stack; a hook adds turn or session items."
  return new PromptStrataError("injection", message, { hint })
}
