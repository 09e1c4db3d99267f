import { checkType } from "../core/check-options.ts"
import { displayWidth } from "../core/display-width.ts"
import { formatSource } from "../core/source.ts"
import type { Assembly, FitDecision, Prefix, Span, WindowRoom } from "../core/span.ts"
import { terminalLine } from "../prompt/encode/terminal-text.ts"
import { asWritten, fitColumns, fitColumnsAtEnd, headsIn, printTable, type Rule, wrapColumns } from "./table.ts"

const columns = ["layer", "tokens", "share", "changes", "source", "fate"] as const

const narrowest = { room: 0, hidden: ["changes", "source"] }
/** The columns that a table leaves out to be narrower, and the room for its sources, the widest first. */
const layouts: readonly { readonly room: number; readonly hidden: readonly string[] }[] = [
  ...[32, 24].map((room) => ({ room, hidden: [] })),
  ...[32, 24, 18].map((room) => ({ room, hidden: ["changes"] })),
  narrowest,
]

/**
 * Prints one request as a table. A row shows a layer's tokens, share, stability, source and fate. A line marks the end of each stable
 * prefix: a provider's cache can serve a later request up to there. Below the table stands what was cut or left out, with the reason.
 * For a terminal of `maxWidth` columns (60 or more) sources are cut or columns left out, which the last line names.
 * `say` puts the words of the table, but for the keys of layers, into another language.
 */
export function printAssembly(assembly: Assembly, maxWidth = Number.POSITIVE_INFINITY, say = asWritten): string {
  checkType("assembly.messages of printAssembly", assembly?.messages, "list")
  const regions = regionsOf(assembly)
  const heads = headsIn(columns, say)
  const ruled = (words: string): Rule => ({ rule: fitColumns(say(words), maxWidth - 8) })
  const print = ({ room, hidden }: (typeof layouts)[number]): string => {
    const pick = (row: readonly string[]) => row.filter((_, at) => !hidden.includes(columns[at] ?? ""))
    const rows = regions.flatMap(({ sections, ends }) => [
      ...sections.map((each) => pick(cells(each, room, say))),
      ...(ends.length > 0 ? [ruled(endsHere(ends))] : []),
    ])
    return printTable(pick(heads), [...rows, ruled(whole(assembly))])
  }
  const fits = (table: string): boolean => table.split("\n").every((line) => displayWidth(line) <= maxWidth)
  const layout = layouts.find((each) => fits(print(each))) ?? narrowest
  const left = layout.hidden.length === 0 ? [] : [`  · no room for the columns ${layout.hidden.map(say).join(", ")}`]
  return [print(layout), ...[...notes(assembly), ...left].map((line) => wrapColumns(say(line), maxWidth, 2))].join("\n")
}

function whole({ tokens, overheadTokens, exact }: Assembly): string {
  const counted = exact ? `${tokens}` : `about ${tokens}`
  return overheadTokens === 0 ? `${counted} tokens` : `${counted} tokens, ${overheadTokens} more around the messages`
}

function cells({ key, tokens, share, stability, source, fate }: Section, room: number, say: typeof asWritten): readonly string[] {
  return [
    key === "(frame)" ? say(key) : fitColumns(terminalLine(key), 20),
    String(tokens),
    `${Math.round(share * 100)} %`,
    stability,
    fitColumnsAtEnd(terminalLine(source), room),
    say(fate),
  ]
}

function endsHere(ends: readonly Prefix[]): string {
  const names = ends.map(({ stability }) => stability).join(", ")
  return `${names} prefix ends: ${ends[0]?.tokens ?? 0} tokens`
}

function notes(assembly: Assembly): string[] {
  const moved = assembly.prefixMoved
  const lines = moved ? [`  ! prefix-moved: ${terminalLine(moved.key)}: ${terminalLine(moved.reason)}`] : []
  lines.push(...assembly.decisions.filter(({ fate }) => fate !== "kept").map(note))
  return assembly.windowRoom ? [...lines, `  · ${printRoom(assembly.windowRoom)}`] : lines
}

/** Says in one line how much of the budget the steps of a cut history leave free, why, and how to fill it. */
export function printRoom({ budgetTokens, freeTokens, reservedTokens, reason }: WindowRoom): string {
  const kept = reservedTokens > 0 ? `, ${reservedTokens} of them for what the turn adds` : ""
  const free = `${freeTokens} of ${budgetTokens} tokens are free${kept}`
  return `${free}: ${terminalLine(reason)}; window = "fill" in [history] cuts no more than needed`
}

/** Lost text is marked by `!`; an injection without a place in the prompt is not. */
function note({ key, fate, fromTokens, toTokens, reason }: FitDecision): string {
  const name = fitColumns(terminalLine(key), 40)
  const why = reason === "" ? "" : `: ${terminalLine(reason)}`
  if (fate === "unplaced") return `  · ${name} is not in it${why}`
  if (fate === "dropped") return `  ! ${name} was dropped, all ${fromTokens} tokens${why}`
  return `  ! ${name} was ${fate}, ${fromTokens} → ${toTokens} tokens${why}`
}

/** All spans of one layer in one region of a request. */
interface Section {
  /** The injection's key; `(frame)` for the prompt file's own text. */
  readonly key: string
  readonly tokens: number
  /** Its share of the request's tokens, 0 to 1. */
  readonly share: number
  /** The stabilities of its spans, with a space between them. */
  readonly stability: string
  /** Its first source, as `file:line`. */
  readonly source: string
  /** `kept`, `shortened from …`, or `placeholder` if no value was printed. */
  readonly fate: string
}

/** A part of a request that ends where prefixes end, or where the request ends. */
interface Region {
  /** The layers, in the order in which they begin. */
  readonly sections: readonly Section[]
  /** The prefixes that end with the region; none for the rest of the request. */
  readonly ends: readonly Prefix[]
}

/** The layers of a request, in regions between the ends of its prefixes (S15). */
function regionsOf(assembly: Assembly): Region[] {
  const regions: { spans: Span[]; ends: readonly Prefix[] }[] = []
  // The prefixes that are not empty, without the last one, which is the whole request.
  const places = assembly.prefixes.filter(
    ({ stability, tokens }) => stability !== "turn" && tokens > 0 && tokens <= assembly.tokens,
  )
  let message = -1
  let end = 0
  let open: (typeof regions)[number] | undefined
  for (const span of assembly.spans) {
    end = span.message === message ? end + span.text.length : span.text.length
    message = span.message
    open ??= { spans: [], ends: [] }
    open.spans.push(span)
    const ends = places.filter((place) => place.message === message && place.end === end)
    if (ends.length === 0) continue
    regions.push({ ...open, ends })
    open = undefined
  }
  if (open) regions.push(open)
  const sectionsIn = (spans: readonly Span[]): readonly Section[] =>
    [...Map.groupBy(spans, ({ key }) => key)].map(([key, own]) => section(key, own, assembly))
  return regions.map(({ spans, ends }) => ({ sections: sectionsIn(spans), ends }))
}

function section(key: string, spans: readonly Span[], { tokens: ofTokens, decisions }: Assembly): Section {
  const tokens = spans.reduce((sum, span) => sum + span.tokens, 0)
  const content = spans.filter(({ part }) => part === "content")
  const decision = decisions.find((other) => other.key === key)
  const source = (content.length > 0 ? content : spans).find((span) => span.source !== undefined)?.source
  return {
    key: key === "" ? "(frame)" : key,
    tokens,
    share: ofTokens === 0 ? 0 : tokens / ofTokens,
    stability: [...new Set(spans.map(({ stability }) => stability))].join(" "),
    source: source ? formatSource({ file: source.file, line: source.line }) : "",
    fate: fateOf(key, decision),
  }
}

function fateOf(key: string, decision: FitDecision | undefined): string {
  if (!decision || decision.fate === "dropped" || decision.fate === "unplaced") return key === "" ? "kept" : "placeholder"
  return decision.fate === "shortened" ? `shortened from ${decision.fromTokens}` : decision.fate
}
