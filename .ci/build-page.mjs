// Builds the inspector's page into dist/inspector: one script with what it needs of npm, and one style.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const root = fileURLToPath(new URL("..", import.meta.url))
const page = join(root, "page")
const out = join(root, "dist/inspector")

/** The texts of the page's files, by name. */
export async function buildPage() {
  const bundle = await rolldown({
    input: join(page, "main.tsx"),
    platform: "browser",
    tsconfig: join(page, "tsconfig.json"),
    onLog(level, log) {
      if (level !== "debug") throw new Error(log.message)
    },
  })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  await bundle.close()
  if (output.length !== 1) throw new Error(`expected one script, found ${output.length}.`)
  const style = readFileSync(join(page, "page.css"), "utf8").replace(/\n\s*/g, " ").trim()
  const files = { "page.js": output[0].code, "page.css": style }
  mkdirSync(out, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(out, name), text)
  return files
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage()
