// Runs the programs that are named as arguments, each in its folder and one after the other, and prints what each wrote as one JSON object by file.
import { dirname } from "node:path"
import { pathToFileURL } from "node:url"

const write = { stdout: process.stdout.write.bind(process.stdout), stderr: process.stderr.write.bind(process.stderr) }
const written: Record<string, { output: string; errors: string }> = {}

for (const file of process.argv.slice(2)) {
  const of = { output: "", errors: "" }
  written[file] = of
  process.stdout.write = (text: string | Uint8Array) => {
    of.output += text.toString()
    return true
  }
  process.stderr.write = (text: string | Uint8Array) => {
    of.errors += text.toString()
    return true
  }
  process.chdir(dirname(file))
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    of.errors += error instanceof Error ? error.stack : String(error)
  }
}

Object.assign(process.stdout, { write: write.stdout })
Object.assign(process.stderr, { write: write.stderr })
console.log(JSON.stringify(written))
