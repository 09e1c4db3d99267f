import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { TokenCounter } from "../../../src/core/ports.ts"

/** The texts that are counted, in both languages: a talk, and the planner's prompt of a character. */
export const sampleNames = ["chat.en", "prompt.en", "chat.zh-CN", "prompt.zh-CN"] as const
type SampleName = (typeof sampleNames)[number]

export const sampleText = (name: SampleName): string => readFileSync(new URL(`${name}.txt`, import.meta.url), "utf8")

/** The counts of a tokenizer, which `npm run bench:estimates` took, and the CPU that loading it took. */
export interface FamilyCounts {
  readonly family: string
  readonly package: string
  readonly counts: Readonly<Record<SampleName, number>>
  readonly loadMs: number
}

export interface RecordedCounts {
  readonly measured: string
  readonly by: string
  /** So many texts of odd characters have the same count in GPT-4o's file as in tiktoken. */
  readonly compared: number
  /** The CPU in which `tiktokenCounter` loads on the same machine. */
  readonly tiktokenMs: number
  readonly samples: Readonly<Record<SampleName, string>>
  readonly families: readonly FamilyCounts[]
}

export const recordedFile = new URL("counts.json", import.meta.url)
export const recordedCounts = (): RecordedCounts => JSON.parse(readFileSync(recordedFile, "utf8"))

/** The fingerprint of a sample's text. */
export const printOf = (name: SampleName): string => createHash("sha256").update(sampleText(name)).digest("hex").slice(0, 16)

/** The pages with the table of estimates, in both languages. */
export const estimatePages = ["tokens.md", "tokens.zh-CN.md"].map((page) => new URL(`../../../docs/${page}`, import.meta.url))

/** A page with the rows of a table in place of its own, under its own heads. */
export const withEstimates = (page: string, table: string): string =>
  page.replace(/(<!-- estimates -->\n)[\s\S]*?(\n<!-- end -->)/, (own, begin, end) => {
    const heads = own.split("\n").slice(1, 3)
    return `${begin}${[...heads, ...table.split("\n").slice(2)].join("\n")}${end}`
  })

/** The lines of the table in docs/tokens.md: how far each estimate is off, for a talk and for a prompt. */
export function estimateTable({ families, tiktokenMs }: RecordedCounts, rough: TokenCounter, o200k: TokenCounter): string {
  const off = (counter: TokenCounter, counts: FamilyCounts["counts"], language: "en" | "zh-CN"): string =>
    (["chat", "prompt"] as const)
      .map((kind) => {
        const name = `${kind}.${language}` as const
        const percent = Math.round((counter.count(sampleText(name)) / counts[name] - 1) * 100)
        return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent)} %`
      })
      .join(", ")
  const rows = families.map(({ family, package: name, counts, loadMs }) => {
    const cells = [rough, o200k].flatMap((counter) => [off(counter, counts, "en"), off(counter, counts, "zh-CN")])
    return `| ${[family, `\`${name}\``, ...cells, `${(loadMs / tiktokenMs).toFixed(1)} ×`].join(" | ")} |`
  })
  return [
    "| tokenizer of | file in | `roughCounter`, English | Chinese | `o200k_base`, English | Chinese | loads in |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n")
}
