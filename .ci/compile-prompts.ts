// Writes prompts/**/*.{md,txt} into src/dialect/shipped-prompts.ts, so that assembling needs neither a disk nor YAML at run time.
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { loadPrompts } from "../src/node/load-prompts.ts"

const target = fileURLToPath(new URL("../src/dialect/shipped-prompts.ts", import.meta.url))

/** The generated module for a folder of prompts. */
export function compilePrompts(folder: string = fileURLToPath(new URL("../prompts/", import.meta.url))): string {
  const entries = loadPrompts(folder, { shownAs: "" }).map(({ path, attributes, body, firstLine }) => {
    const fields = Object.entries({ path, attributes, body, firstLine })
    return `  {\n${fields.map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`).join("")}  },\n`
  })
  return [
    "// Generated from prompts/ by `npm run compile-prompts`. Do not edit: a test holds it equal to the files.",
    'import type { PromptSource } from "./prompt-source.ts"',
    "",
    "let made: readonly PromptSource[] | undefined",
    "",
    "/** Every file under `prompts/`, in order of its path. Made when first asked for: an import pays only for skipping over it. */",
    "export function shippedPrompts(): readonly PromptSource[] {",
    `  made ??= [\n${entries.join("")}]`,
    "  return made",
    "}",
    "",
  ].join("\n")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, compilePrompts())
