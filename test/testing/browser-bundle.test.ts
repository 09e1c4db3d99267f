import { rolldown } from "rolldown"
import { expect, test } from "vitest"

test("the entry can be bundled for a browser: it imports nothing of Node.js, not even later", async () => {
  const logs: string[] = []
  const bundle = await rolldown({
    input: "src/testing/index.ts",
    platform: "browser",
    onLog: (_level, { message }) => void logs.push(message),
  })
  const { output } = await bundle.generate({})
  await bundle.close()
  const own = output.map(({ fileName }) => fileName)
  const imported = output.flatMap((chunk) => (chunk.type === "chunk" ? [...chunk.imports, ...chunk.dynamicImports] : []))
  expect(imported.filter((name) => !own.includes(name))).toEqual([])
  expect(logs).toEqual([])
})
