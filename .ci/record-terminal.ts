import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { fileURLToPath } from "node:url"

// Before anything reads it: a recording tells the time of one place.
process.env.TZ = "Asia/Shanghai"
const recordedMs = Date.UTC(2026, 2, 1, 8)
/** The built-in tools read the time of the host. */
class StoppedDate extends Date {
  constructor(...given: readonly (string | number)[]) {
    super(...((given.length > 0 ? given : [recordedMs]) as [number]))
  }
  static override now(): number {
    return recordedMs
  }
}
Object.assign(globalThis, { Date: StoppedDate })
const { runCli } = await import("../src/apps/cli/run-cli.ts")
const { displayWidth } = await import("../src/core/display-width.ts")
const { countingIds, manualClock } = await import("../src/testing/index.ts")

const columns = 80
const languages = {
  en: {
    lang: "en_US.UTF-8",
    file: "terminal",
    commands: [
      ["chat", "--once", "17*23"],
      ["render", "--tokens", "--question", "Does Momo fear thunder?"],
    ],
  },
  "zh-CN": {
    lang: "zh_CN.UTF-8",
    file: "terminal.zh-CN",
    commands: [
      ["chat", "--once", "17*23"],
      ["render", "--tokens", "--question", "墨墨怕打雷吗？"],
    ],
  },
}

type Recorded = readonly [atSeconds: number, kind: "o", text: string]

/** What a command writes to a terminal with colours, by a stopped clock and without a store. */
async function outputOf(args: readonly string[], lang: string): Promise<string> {
  const open = () => Object.assign(new PassThrough(), { isTTY: true, columns })
  const [stdin, stdout, stderr] = [open(), open(), open()]
  let written = ""
  for (const stream of [stdout, stderr]) stream.setEncoding("utf8").on("data", (text: string) => (written += text))
  const env = { LANG: lang, PROMPTSTRATA_STORE: "none", FORCE_COLOR: "1" }
  const ports = { clock: manualClock(recordedMs), ids: countingIds() }
  const code = await runCli(args, { stdin, stdout, stderr, env, onInterrupt: () => () => undefined }, { ports })
  await new Promise((resolve) => setImmediate(resolve))
  if (code !== 0) throw new Error(`expected ${args.join(" ")} to end with 0, found ${code}:\n${written}`)
  // How long a tool ran is the machine's affair.
  return written.replaceAll(/\(\d+ ms\)/g, "(1 ms)")
}

/** Types commands and takes what they answer, at times that a reader can follow. */
async function record({ lang, commands }: (typeof languages)["en"]): Promise<readonly Recorded[]> {
  const events: Recorded[] = []
  let at = 0
  const write = (text: string, seconds: number): void => {
    at += seconds
    events.push([Number(at.toFixed(3)), "o", text])
  }
  for (const args of commands) {
    const shown = args.map((word) => (/^[\w-]+$/.test(word) ? word : `"${word}"`)).join(" ")
    write("$ ", 1)
    for (const character of `npx promptstrata ${shown}`) write(character, 0.04)
    write("\r\n", 0.3)
    const lines = (await outputOf(args, lang)).trimEnd().split("\n")
    for (const line of lines) write(`${line}\r\n`, 0.15)
  }
  return events
}

/** A recording in the form of asciinema, version 2. */
function castOf(events: readonly Recorded[]): string {
  const height = events.filter(([, , text]) => text.endsWith("\n")).length + 1
  const head = { version: 2, width: columns, height, title: "promptstrata", env: { TERM: "xterm-256color" } }
  return `${[head, ...events].map((line) => JSON.stringify(line)).join("\n")}\n`
}

const looks: Readonly<Record<string, string>> = { "1": "b", "2": "d", "31": "r", "33": "y", "36": "c" }
const [cell, row] = [8, 18]
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** A line as SVG: each run of one look and one width of characters at its columns. */
function lineOf(line: string): string {
  let [look, column, shown] = ["", 0, ""]
  for (const [, code, text = ""] of line.matchAll(/\p{Cc}\[([\d;]*)m|([ -~]+|[^ -~\p{Cc}]+)/gu)) {
    if (code !== undefined) look = looks[code] ?? ""
    const width = displayWidth(text)
    if (text.trim() !== "")
      shown += `<tspan${look && ` class="${look}"`} x="${(column + 1) * cell}" textLength="${width * cell}">${escaped(text)}</tspan>`
    column += width
  }
  return shown
}

/** A recording as a picture that plays itself: each line comes at its time, and is there at once for readers who want no motion. */
function pictureOf(events: readonly Recorded[]): string {
  const lines: { at: number; text: string }[] = []
  let open = ""
  for (const [at, , text] of events) {
    open += text
    if (!text.endsWith("\n")) continue
    lines.push({ at, text: open.trimEnd() })
    open = ""
  }
  const height = (lines.length + 1) * row
  const shown = lines.map(
    ({ at, text }, line) =>
      `<text xml:space="preserve" y="${(line + 1) * row}" style="animation-delay:${at}s">${lineOf(text)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${(columns + 2) * cell} ${height}" width="${(columns + 2) * cell}" height="${height}" font-family="ui-monospace,Menlo,Consolas,'Noto Sans Mono CJK SC',monospace" font-size="13" fill="#d4d4d8">
<title>promptstrata</title>
<style>text{animation:show 1ms both}@keyframes show{from{opacity:0}}@media(prefers-reduced-motion){text{animation:none}}.b{font-weight:bold}.d{fill:#a1a1aa}.r{fill:#f87171}.y{fill:#fbbf24}.c{fill:#67e8f9}</style>
<rect width="100%" height="100%" rx="6" fill="#18181b"/>
${shown.join("\n")}
</svg>
`
}

// `--check FOLDER` compares, anything else writes.
const [mode, given] = process.argv.slice(2)
const folder = given ?? fileURLToPath(new URL("../docs/", import.meta.url))
const stale: string[] = []
for (const language of Object.values(languages)) {
  const events = await record(language)
  for (const [ending, text] of [
    ["cast", castOf(events)],
    ["svg", pictureOf(events)],
  ] as const) {
    const path = join(folder, `${language.file}.${ending}`)
    if (mode === "--check") {
      if (readFileSync(path, "utf8") !== text) stale.push(path)
    } else writeFileSync(path, text)
  }
}
if (stale.length > 0)
  process.stderr.write(`These are not what the program writes now: ${stale.join(", ")}. Run: npm run record\n`)
process.exit(stale.length > 0 ? 1 : 0)
