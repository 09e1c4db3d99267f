import { expect, test } from "vitest"
import { normaliseMemoryText } from "../../../../src/memory/services/memory/duplicates.ts"

const runs = [" ", "-", " -", "--", "- ", ".", ",", ":", "/", ";", "?", " ?!", "…", "。", "？", "−", "+"]
const befores = ["", "a", "5", "我"]
const afters = ["", "b", "7", "好"]

test("what a mark between words, digits and characters becomes", async () => {
  const pairs = befores.flatMap((before) => afters.map((after) => [before, after] as const))
  const lines = runs.map((run) => {
    const texts = pairs.map(([before, after]) => normaliseMemoryText(before + run + after).replaceAll(" ", "_"))
    return `${JSON.stringify(run).padEnd(6)} ${texts.join(" | ")}`
  })
  const head = `${"".padEnd(6)} ${pairs.map(([before, after]) => `${before}…${after}`).join(" | ")}`
  await expect(`${[head, ...lines].join("\n")}\n`).toMatchFileSnapshot("normal-texts.md")
})
