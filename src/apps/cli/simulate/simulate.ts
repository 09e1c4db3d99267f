import type { Command } from "commander"
import { codeFrame } from "../../../core/evidence/located-error.ts"
import { costOf, type Prices, priceOf, type TokenPrice } from "../../../core/model/prices.ts"
import { formatSource, type Source } from "../../../core/source.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import { asWritten, headsIn, printTable, wrapColumns } from "../../../trace/table.ts"
import { chooseDemo, type ModelChooser } from "../choose-model.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { columnsOf, exitCodes, jsonLine } from "../io.ts"
import { addCommonOptions, type CommonOptions, collectValues, readCount, readNamedFile } from "../options.ts"
import { readPrices } from "../serve/read-prices.ts"
import { type Life, type LivedDay, type LivedRequest, live } from "./live.ts"
import { type RecalledWords, readScript, type Script } from "./read-script.ts"

/** The tokens and the money of a day or of a whole life. */
type Sums = ReturnType<typeof sumsOf>

/** A day with what it cost. */
type MeasuredDay = LivedDay & { readonly sums: Sums }

/** A life with what it cost. */
interface MeasuredLife extends Life {
  readonly name: string
  readonly measured: readonly MeasuredDay[]
  readonly total: Sums
}

/** Adds to a life what its days cost, by the prices of models by their ids. One price is for all models. */
function measure(life: Life, prices: Prices): MeasuredLife {
  const { requests, days } = life
  const only = Object.values(prices).length === 1 ? Object.values(prices)[0] : undefined
  const priceFor = (model: string) => priceOf(prices, model) ?? only
  const byDay = Map.groupBy(requests, ({ day }) => day)
  const measured = days.map((day) => ({ ...day, sums: sumsOf(byDay.get(day.day) ?? [], { turns: day.turns, priceFor }) }))
  const turns = days.reduce((all, day) => all + day.turns, 0)
  return { ...life, name: life.profile.name, measured, total: sumsOf(requests, { turns, priceFor }) }
}

type PriceFor = (model: string) => TokenPrice | undefined

function sumsOf(requests: readonly LivedRequest[], { turns, priceFor }: { readonly turns: number; readonly priceFor: PriceFor }) {
  const [own, background] = [requests.filter((one) => !one.isBackground), requests.filter((one) => one.isBackground)]
  const tokens = (some: readonly LivedRequest[]) => some.reduce((sum, { promptTokens }) => sum + promptTokens, 0)
  const money = requests.map(({ model, promptTokens, cachedTokens, outputTokens }) =>
    costOf({ inputTokens: promptTokens, inputCacheReadTokens: cachedTokens, outputTokens }, priceFor(model)),
  )
  return {
    turns,
    /** Tokens of the largest request of a turn. */
    largestPrompt: Math.max(0, ...own.map(({ promptTokens }) => promptTokens)),
    /** Tokens of all requests of turns, and how many of them a provider's cache serves. */
    promptTokens: tokens(own),
    cachedTokens: own.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0),
    backgroundCalls: background.length,
    backgroundTokens: tokens(background),
    outputTokens: requests.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    /** Undefined without prices. */
    money: money.includes(undefined) ? undefined : money.reduce<number>((sum, one = 0) => sum + one, 0),
  }
}

/** Prints lives of one script: a table of days for each, what was remembered, and the sums side by side; for a terminal of `maxWidth` columns. */
function printLives(lives: readonly MeasuredLife[], maxWidth = Number.POSITIVE_INFINITY, say = asWritten): string {
  const parts = lives.flatMap((life) => [
    `${life.name}: ${life.profile.agent.name}`,
    printDays(life, maxWidth, say),
    wrapColumns(printSubjects(life).split("\n").map(say).join("\n"), maxWidth, 2),
  ])
  return [...parts, lives.length > 1 ? printSums(lives, maxWidth, say) : ""].filter((part) => part !== "").join("\n\n")
}

const sumNames = ["turns", "largest prompt", "prompt tokens", "cached", "background calls", "background tokens", "money"] as const

function sumCells(sums: Sums): Readonly<Record<(typeof sumNames)[number], string>> {
  const { turns, largestPrompt, promptTokens, cachedTokens, backgroundCalls, backgroundTokens, money } = sums
  return {
    turns: String(turns),
    "largest prompt": String(largestPrompt),
    "prompt tokens": String(promptTokens),
    cached: promptTokens === 0 ? "" : `${((100 * cachedTokens) / promptTokens).toFixed(1)} %`,
    "background calls": String(backgroundCalls),
    "background tokens": String(backgroundTokens),
    money: money === undefined ? "" : money.toFixed(4),
  }
}

/** A row for each day on which something was said, and the sums of all. */
function printDays({ measured, total }: MeasuredLife, maxWidth: number, say: typeof asWritten): string {
  const shown = sumNames.filter((name) => name !== "money" || total.money !== undefined)
  const row = (first: string, sums: Sums, kept: readonly string[]) => [
    first,
    ...shown.map((name) => sumCells(sums)[name]),
    ...kept,
  ]
  const days = measured.filter(({ turns }) => turns > 0)
  const rows = days.map(({ day, sums, memories, events }) => row(String(day), sums, [String(memories), String(events)]))
  const last = measured.at(-1)
  const kept = [String(last?.memories ?? 0), String(last?.events ?? 0)]
  const [all = "", ...heads] = headsIn(["all", "day", ...shown, "memories", "events"], say)
  return printTable(heads, [...rows, row(all, total, kept)], maxWidth)
}

/** A line for each change of what a subject is known from: remembered, forgotten, brought back. */
function printSubjects({ subjects, measured }: MeasuredLife): string {
  return subjects
    .flatMap((subject, at) => {
      const lines = [nameOf(subject)]
      let before: string | undefined
      for (const { day, found } of measured) {
        const now = (found[at] ?? []).join(", ")
        if (now !== (before ?? "")) lines.push(`  day ${day}: ${changeOf(before, now)}`)
        if (now !== "" || before !== undefined) before = now
      }
      return lines.length > 1 ? lines : [...lines, "  was never in the prompt"]
    })
    .join("\n")
}

/** The name of a subject, with its question. */
function nameOf({ words, asked }: RecalledWords): string {
  return asked === undefined ? `"${words}"` : `"${words}" when asked "${asked}"`
}

function changeOf(before: string | undefined, now: string): string {
  if (now === "") return "forgotten"
  return before === "" ? `brought back, in ${now}` : `remembered, in ${now}`
}

function printSums(lives: readonly MeasuredLife[], maxWidth: number, say: typeof asWritten): string {
  const shown = sumNames.filter((name) => name !== "money" || lives.some(({ total }) => total.money !== undefined))
  const [all = "", ...heads] = headsIn(["in all", ...shown], say)
  const rows = shown.map((name, at) => [heads[at] ?? name, ...lives.map(({ total }) => sumCells(total)[name])])
  return printTable([all, ...lives.map(({ name }) => name)], rows, maxWidth)
}

/** The failures of lives, each with its place in the script and a caret; empty if all went well. */
function failuresOf(lives: readonly MeasuredLife[], script: Script, say = asWritten): readonly string[] {
  return lives.flatMap(({ name, checks, failures }) => {
    const at = (source: Source, reason: string): string => {
      const { line, column = 1 } = source
      const which = lives.length > 1 ? `${name}: ` : ""
      return `${formatSource(source)}: ${which}${reason}\n${codeFrame(script.text, { line, column }, { around: 0 })}`
    }
    return [
      ...failures.map(({ words, day, message }) => at(words.source, say(`the turn of day ${day} failed: ${message}`))),
      ...checks
        .filter(({ isMet }) => !isMet)
        .map(({ expectation, reason }) => at(expectation.source, `${say(reason)}${say(".")}`)),
    ]
  })
}

const [width, height] = [640, 140]
const colours = ["#1d75b3", "#c2410c", "#15803d", "#7e22ce"] as const

/** Lives of a script as one page, which needs no network: curves, the tables as text, and what failed. */
function lifePage(lives: readonly MeasuredLife[], script: Script, say = asWritten): string {
  const failed = failuresOf(lives, script, say)
  const subjects = lives[0]?.subjects ?? []
  const drawn = (title: string, numberOf: (day: MeasuredDay) => number | undefined) => curve(say(title), lives, numberOf, say)
  const curves = [
    drawn("Largest prompt of a day, in tokens", ({ sums }) => (sums.turns > 0 ? sums.largestPrompt : undefined)),
    drawn("Tokens of background work", ({ sums }) => sums.backgroundTokens),
    drawn("Memories", ({ memories }) => memories),
    drawn("Events", ({ events }) => events),
    ...subjects.map((subject, at) =>
      drawn(`Parts of the prompt that hold ${nameOf(subject)}`, ({ found }) => found[at]?.length ?? 0),
    ),
  ]
  const legend = lives.map(({ name }, at) => `<b style="color:${colours[at % colours.length]}">${escaped(name)}</b>`).join(" · ")
  return `<!doctype html>
<html ${say('lang="en"')}><meta charset="utf-8"><title>${escaped(script.file)}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}pre{overflow:auto;background:#f4f4f5;padding:1rem}figure{margin:1rem 0}svg{width:100%;border:1px solid #ddd}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}pre{background:#222}}</style>
<h1>${escaped(script.file)}</h1>
<p>${say(`${script.days} days`)} · ${legend}</p>
<h2>${say(failed.length === 0 ? "Every expectation holds" : `${failed.length} failed`)}</h2>
${failed.length === 0 ? "" : `<pre>${escaped(failed.join("\n\n"))}</pre>`}
${curves.join("\n")}
<h2>${say("Numbers")}</h2>
<pre>${escaped(printLives(lives, undefined, say))}</pre>
</html>
`
}

/** A curve over the days, a line for each life. Days without a value are left out. */
function curve(
  title: string,
  lives: readonly MeasuredLife[],
  numberOf: (day: MeasuredDay) => number | undefined,
  say: typeof asWritten,
): string {
  const points = lives.map(({ measured }) =>
    measured.flatMap((day) => {
      const value = numberOf(day)
      return value === undefined ? [] : [{ day: day.day, value }]
    }),
  )
  const all = points.flat()
  const most = Math.max(1, ...all.map(({ value }) => value))
  const last = Math.max(2, ...all.map(({ day }) => day))
  const place = ({ day, value }: { readonly day: number; readonly value: number }) =>
    `${Math.round(((day - 1) / (last - 1)) * width)},${Math.round(height - (value / most) * height)}`
  const lines = points.map(
    (own, at) =>
      `<polyline fill="none" stroke="${colours[at % colours.length]}" stroke-width="2" points="${own.map(place).join(" ")}"/>`,
  )
  return `<figure><figcaption>${escaped(title)}${say(` (at most ${most})`)}</figcaption><svg viewBox="-4 -4 ${width + 8} ${height + 8}" role="img">${lines.join("")}</svg></figure>`
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}

interface SimulateOptions extends CommonOptions {
  readonly days?: number
  /** More profiles that live the same days. */
  readonly with?: readonly string[]
  /** Ask the model of the profile and the environment, in place of the offline demo. */
  readonly model?: boolean
  /** The model that plays the script's user, in place of rules. */
  readonly userModel?: string
  readonly prices?: string
  readonly json?: boolean
  readonly html?: boolean
}

/** Adds the command `simulate` (H7). */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("simulate")
    .description(
      "Live the days of a script with a profile, as fast as the machine can: what is remembered, forgotten and brought back, and what each day costs. No model is asked unless --model or --user-model is given.",
    )
    .argument("<script>", "a file with what is said on which day, and what is expected")
    .option("--days <number>", "live so many days (default: the script's)", readCount)
    .option("--with <profile>", "a further profile, beside the first; can be given again", collectValues)
    .option("--model", "ask the model of the profile and the environment, in place of the offline demo")
    .option("--user-model <name>", "the model that plays the script's user, who otherwise says the lines of its persona")
    .option("--prices <file>", "a JSON file with the prices of models, as for inspect; one price is for all models")
    .option("--json", "print the numbers as JSON")
    .option("--html", "print a page with curves; it is one file and needs no network")
  addCommonOptions(command, { profile: "layered" }).action((script: string, { debug, ...given }: SimulateOptions) =>
    run((context) => simulate(script, given, context), { debug }),
  )
}

/** Lives a script with one profile or several. Resolves to the exit code: 1 if an expectation or a turn failed. */
async function simulate(path: string, options: SimulateOptions, context: CliContext): Promise<number> {
  const { io, screen, translate } = context
  const written = readScript(path, readNamedFile(path, "a script", 'Write one, such as: day 1 say "My cat is called Miso."'))
  const script = { ...written, days: options.days ?? written.days }
  const prices = readPrices(options.prices)
  const chooseModel = options.model ? context.chooseModel : chooseDemo
  const { userModel } = options
  const chooseUser: ModelChooser | undefined =
    userModel === undefined
      ? undefined
      : (profile, env) => context.chooseModel(profile, { ...env, PROMPTSTRATA_MODEL: userModel })
  const lives: MeasuredLife[] = []
  for (const profile of [options.profile, ...(options.with ?? [])]) {
    lives.push(measure(await live(script, { ...options, profile, chooseModel, chooseUser }, context), prices))
  }
  const failed = failuresOf(lives, script, translate)
  if (options.html) io.stdout.write(terminalText(lifePage(lives, script, translate)))
  else if (options.json) for (const life of lives) io.stdout.write(`${jsonLine(dataOf(life))}\n`)
  else io.stdout.write(`${terminalText(printLives(lives, columnsOf(io.stdout), translate))}\n`)
  for (const failure of failed) screen.complain(failure)
  return failed.length === 0 ? exitCodes.ok : exitCodes.failed
}

function dataOf({ name, measured, total, subjects, checks }: MeasuredLife): unknown {
  return {
    profile: name,
    days: measured,
    total,
    subjects,
    checks: checks.map(({ expectation, ...found }) => ({ ...expectation, ...found })),
  }
}
