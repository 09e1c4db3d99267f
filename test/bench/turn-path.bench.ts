import type { BenchResult, Row } from "./bench.ts"
import { type RunFile, turnPath } from "./turn-path.ts"

/** The path of the same turn when every function had a file of its own. */
const before = { files: 198, functions: 836 }

/** Bounds, so that the path does not grow again. */
const most = { files: 95, functions: 418, functionLines: 40, fileLines: 300 }

/** Files and functions of `src/` that one warm plain turn runs, by V8's precise coverage. */
export async function run(): Promise<BenchResult> {
  const path = await turnPath()
  const all = path.flatMap(({ file, functions }) => functions.map((one) => ({ ...one, file })))
  const long = all.filter(({ lines }) => lines > most.functionLines).map(({ file, name, lines }) => `${file}: ${name} (${lines})`)
  const large = path.filter(({ lines }) => lines > most.fileLines).map(({ file, lines }) => `${file} (${lines})`)
  return {
    title: "The path of a warm plain turn (`fay`, in-memory store)",
    rows: [...rowsByRoom(path), { room: "all", files: path.length, functions: all.length }, { room: "before", ...before }],
    gates: [
      gate(`at most ${most.files} files`, path.length <= most.files, `${path.length}`),
      gate(`at most ${most.functions} functions`, all.length <= most.functions, `${all.length}`),
      gate(`no function over ${most.functionLines} lines`, long.length === 0, long.join(", ") || "none"),
      gate(`no file over ${most.fileLines} lines`, large.length === 0, large.join(", ") || "none"),
    ],
  }
}

function gate(name: string, ok: boolean, detail: string) {
  return { name: `a plain turn passes ${name}`, ok, detail }
}

function rowsByRoom(path: readonly RunFile[]): Row[] {
  const rooms = Map.groupBy(path, ({ file }) => file.slice(0, file.indexOf("/")))
  return [...rooms].map(([room, files]) => ({
    room,
    files: files.length,
    functions: files.reduce((sum, { functions }) => sum + functions.length, 0),
  }))
}
