import { expect, test } from "vitest"
import { formatReferenceSource, parseReferenceSource } from "../../../../src/memory/forgetting/reference/reference-source.ts"

const written = [
  "RAG 'it\\'s 5' - a b.txt line3 ~ line12",
  'RAG \'"\' - "\\"a\\".txt" line1 ~ line1',
  "read_IMG(Search a.png)",
  "load a.txt",
  "unknown source",
  "compress weak about 'tea' 最符合 30 - a/b.session message 9 - 10",
  "compress extreme about 'a' 自定义权重:'0.5 0 1' 3 - b.session message 1 - 2",
]

/** A text with each of its characters left out, written twice, or behind another one. */
function* damages(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at++) {
    yield text.slice(0, at) + text.slice(at + 1)
    yield text.slice(0, at)
    for (const added of [text.charAt(at), "'", '"', "\\", " ", "0", "x"]) yield text.slice(0, at) + added + text.slice(at)
  }
}

test("a damaged source is none, or one that is written so; what is read of others is this", async () => {
  const lines: string[] = []
  for (const source of written) {
    const first = parseReferenceSource(source)
    expect(first && formatReferenceSource(first)).toBe(source)
    let [none, same] = [0, 0]
    const others: string[] = []
    for (const damaged of new Set(damages(source))) {
      if (damaged === source) continue
      const read = parseReferenceSource(damaged)
      const again = read && formatReferenceSource(read)
      if (again === undefined) none++
      else if (again === damaged) same++
      else others.push(`  ${damaged}\n    ${again}`)
    }
    lines.push(
      `${source}: ${none} damages leave none, ${same} are another source, ${others.length} are written otherwise`,
      ...others,
    )
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("damaged-sources.md")
})
