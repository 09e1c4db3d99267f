import { PromptStrataError } from "../../core/errors.ts"
import { authored, memoKind } from "../../core/memo.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { Markers } from "../encode/lines.ts"
import type { Template, TemplateNode } from "../template/ast.ts"
import { type FoundLines, headingsOf, markersOf, shapesOf } from "./markers.ts"
import type { PromptAttributes } from "./prompt-attributes.ts"
import { promptKinds } from "./prompt-source.ts"

/** One compiled prompt file. */
export interface PromptFile extends Pick<PromptAttributes, "separator" | "omit"> {
  readonly template: Template
  /** The keys in `omit` that the profile names, and not the file. */
  readonly off?: readonly string[]
  /** The markers of its requests, if no turn prints it. */
  readonly markers?: Markers
}

/** A folder of prompt files in one locale, compiled. */
export interface Dialect {
  readonly name: string
  readonly locale: string
  /** The files by name, without folder and ending: `planner`, `history`, … */
  readonly files: ReadonlyMap<string, PromptFile>
  /** Lines and beginnings of lines that untrusted text must not imitate: those that a turn can print, and the headings of all files. */
  readonly markers: Markers
}

/** A compiled prompt file, and the lines that it can print. Without the file, these are the headings of one that is read apart. */
export interface CompiledFile {
  readonly file: PromptFile | undefined
  readonly found: FoundLines
}

/** Puts compiled files together to a dialect, with the markers of a turn's requests. */
export function dialectOf(
  { name, locale }: Pick<Dialect, "name" | "locale">,
  compiled: ReadonlyMap<string, CompiledFile>,
): Dialect {
  const found = [...compiled.values()].map((one) => one.found)
  const ofTurn = [...compiled].flatMap(([name, { file, found }]) => (file && !isBackground(name, file) ? [found] : []))
  const [all, shapes] = [markersOf(found), shapesOf(markersOf(ofTurn))]
  const files = new Map<string, PromptFile>()
  for (const [name, { file, found }] of compiled) {
    if (!file) continue
    const own = () => [...new Set([...shapes, ...shapesOf(markersOf([found]))])]
    files.set(name, isBackground(name, file) ? { ...file, markers: { ...all, shapes: own() } } : file)
  }
  const shown = found.map((one) => (ofTurn.includes(one) ? one : headingsOf(one)))
  return { name, locale, files, markers: { ...markersOf(shown), shapes } }
}

/** True for a prompt that no turn prints: it makes requests of its own. */
export function isBackground(name: string, { template }: PromptFile): boolean {
  return !turnPrompts.includes(name) && opensMessage(template.nodes)
}

/** The prompts of a turn. Others make requests of their own in the background, with headings of their own. */
const turnPrompts = [...promptKinds, "native"]

/** The dialect without the blocks of context that a profile leaves out of the turn's prompts (L7b). */
export function withoutContext(dialect: Dialect, off: readonly string[]): Dialect {
  if (off.length === 0) return dialect
  const files = new Map(dialect.files)
  for (const name of turnPrompts) {
    const file = files.get(name)
    if (file) files.set(name, { ...file, omit: [...file.omit, ...off], off })
  }
  return { ...dialect, files }
}

/** True if the nodes make messages, as those of a prompt do; a file that prints entries makes none. */
export function opensMessage(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "conditional") return opensMessage(node.then) || opensMessage(node.otherwise)
    return node.type === "role"
  })
}

/** A prompt file of a dialect. An unknown name is an error with code `prompt-missing` that lists the known names. */
export function promptFile(dialect: Dialect, name: string): PromptFile {
  const file = dialect.files.get(name)
  if (file) return file
  const known = [...dialect.files.keys()]
  const message = `expected a file ${name}.md in dialect "${dialect.name}" (${dialect.locale}); it has ${known.join(", ")}.${didYouMean(name, known)}`
  throw new PromptStrataError("prompt-missing", message)
}

/** The names in a dialect's files. */
export interface DialectNames {
  /** Names of slots and conditions, in any file. */
  readonly all: ReadonlySet<string>
  /** Names of conditions, in any file. */
  readonly conditions: ReadonlySet<string>
  /** Names of lists that a file prints as messages of their own: `${messages(history)}`. */
  readonly messageLists: ReadonlySet<string>
  /** Names of slots and conditions, by the name of the file. */
  readonly byFile: ReadonlyMap<string, ReadonlySet<string>>
}

/** The names in a dialect's files, also in branches and placeholders. They are found once for each dialect. */
export function dialectNames(dialect: Dialect): DialectNames {
  return authored.made(ofDialect, dialect, () => {
    const files = [...dialect.files].map(([file, { template }]) => ({ file, names: templateNames(template.nodes) }))
    return {
      all: new Set(files.flatMap(({ names }) => [...names.values])),
      conditions: new Set(files.flatMap(({ names }) => [...names.conditions])),
      messageLists: new Set(files.flatMap(({ names }) => [...names.messageLists])),
      byFile: new Map(files.map(({ file, names }) => [file, names.values])),
    }
  })
}

const ofDialect = memoKind<Dialect, DialectNames>()

/** The names in a template, also in branches and placeholders. */
interface TemplateNames {
  /** Names of `${slot}` and of `${messages(list)}`. */
  readonly slots: ReadonlySet<string>
  readonly conditions: ReadonlySet<string>
  readonly messageLists: ReadonlySet<string>
  /** Names of `${slot}` and of conditions. */
  readonly values: ReadonlySet<string>
  readonly all: ReadonlySet<string>
  /** True if it makes messages. */
  readonly makesMessages: boolean
}

/** The names in a template. They are found once for each template. */
export function templateNames(nodes: readonly TemplateNode[]): TemplateNames {
  return authored.made(ofTemplate, nodes, () => {
    const found = { texts: new Set<string>(), conditions: new Set<string>(), messageLists: new Set<string>() }
    collect(nodes, found)
    const { texts, conditions, messageLists } = found
    const [slots, values] = [texts.union(messageLists), texts.union(conditions)]
    const makesMessages = messageLists.size > 0 || opensMessage(nodes)
    return { slots, conditions, messageLists, values, all: slots.union(conditions), makesMessages }
  })
}

const ofTemplate = memoKind<readonly TemplateNode[], TemplateNames>()

function collect(
  nodes: readonly TemplateNode[],
  into: Readonly<Record<"texts" | "conditions" | "messageLists", Set<string>>>,
): void {
  for (const node of nodes) {
    if (node.type === "messages") into.messageLists.add(node.name)
    if (node.type === "slot") {
      into.texts.add(node.name)
      collect(node.placeholder ?? [], into)
    }
    if (node.type !== "conditional") continue
    into.conditions.add(node.name)
    collect(node.then, into)
    collect(node.otherwise, into)
  }
}
