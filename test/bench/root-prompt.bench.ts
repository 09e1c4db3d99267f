import { shippedDialectFiles } from "../../src/node/read-dialect.ts"
import { sourceLoader } from "../../src/prompt/dialect/source-loader.ts"
import { parseTemplate } from "../../src/prompt/template/parse.ts"
import { renderTemplate } from "../../src/prompt/template/render-template.ts"
import type { BenchResult, Row } from "./bench.ts"
import { cpuMs, formatRatio, median } from "./measure.ts"

const runs = 15
const repeats = 2_000
const title = "Root's main prompt, the longest of the shipped ones; times plain concatenation's CPU"

const values = {
  developer_name: "Ada",
  agent_name: "Qinglan",
  context_count: "20",
  supported_formats: "txt, md, png",
  work_mode: true,
  format: "Write short lines.",
  persona: "Somebody who likes rain.",
  skills: "Tells the weather.",
  standing: "It is winter.",
}
const flags = new Set(["work_mode"])

/** Rendering beside joining the same literals and values. */
export async function run(): Promise<BenchResult> {
  const rows: Row[] = []
  for (const locale of ["zh-CN", "en"]) rows.push(...(await measure(locale)))
  return {
    title,
    rows,
    gates: [],
    notes: [
      `Parsed beforehand; median of ${runs} times ${repeats}. The text is written out as bytes, as every request is: until then a runtime may keep a concatenation as a list of its parts.`,
    ],
  }
}

async function measure(locale: string): Promise<Row[]> {
  const { files } = shippedDialectFiles("root", locale)
  const source = files.find(({ path }) => path.endsWith("main.txt"))
  if (source === undefined) throw new Error(`root has no main.txt in ${locale}`)
  const template = parseTemplate(source.body, { file: source.path, load: sourceLoader(files) })
  const parts = partsOf((given) => renderTemplate(template, given))
  const floor = (): string => {
    let text = ""
    for (const part of parts) text += part
    return text
  }
  const render = (): string => renderTemplate(template, values)
  if (floor() !== render()) throw new Error("the floor joins another text")
  const times: [number[], number[]] = [[], []]
  for (let run = 0; run < runs; run++) {
    times[0].push(await cpuMs(() => fill(floor)))
    times[1].push(await cpuMs(() => fill(render)))
  }
  const [base, ours] = [median(times[0]), median(times[1])]
  const perRendering = `${((base / repeats) * 1000).toFixed(2)} µs`
  return [{ locale, characters: render().length, concatenation: perRendering, promptstrata: formatRatio(ours, base) }]
}

/** The literals and values of a rendering in their order, found by rendering names in place of the values. */
function partsOf(render: (given: typeof values | Readonly<Record<string, string | boolean>>) => string): readonly string[] {
  const named = Object.entries(values).map(([name, value]) => [name, flags.has(name) ? value : `\u0000${name}\u0000`])
  return render(Object.fromEntries(named))
    .split("\u0000")
    .map((part, at) => (at % 2 === 0 ? part : String(values[part as keyof typeof values])))
}

function fill(render: () => string): void {
  for (let i = 0; i < repeats; i++) Buffer.from(render())
}
