// Builds dist/: JavaScript bundled per subpath with shared chunks, so that an entry loads as a few files instead of one
// for every module (an import of 150 modules costs several times the CPU of the code in them), and declarations by tsc.
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { rolldown } from "rolldown"

const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8"))

/** `./dist/node/index.js` → `node/index`, for every JavaScript file that package.json promises. */
const entries = [...Object.values(exports).map((entry) => entry.default ?? ""), ...Object.values(bin)]
  .filter((path) => path.endsWith(".js"))
  .map((path) => path.replace("./dist/", "").replace(/\.js$/, ""))

/** Recall is loaded when a memory is first looked for; its weights are part of every profile. */
const isLater = (id) => /[\\/]services[\\/](recall[\\/](?!recall-weights)|scope-index\.ts)/.test(id)

rmSync("dist", { recursive: true, force: true })
const bundle = await rolldown({
  input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
  platform: "node",
  // Everything but our own files: packages are the user's to install and to update.
  external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  onLog(level, log) {
    if (level !== "debug") throw new Error(log.message)
  },
})
await bundle.write({
  dir: "dist",
  entryFileNames: "[name].js",
  // Two folders deep like the entries: the shipped files are found from there.
  chunkFileNames: "chunks/[name]-[hash].js",
  comments: false,
  // All that lies below the edges as one file: an import pays for files more than for code. What loads later stays out of it.
  codeSplitting: {
    groups: [
      {
        name: "core",
        test: (id) =>
          /[\\/]src[\\/](?!(node|models|mcp|stores|tokenizers|testing|cli|lint|forgetting)[\\/])/.test(id) && !isLater(id),
      },
    ],
  },
})
await bundle.close()
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" })
process.exitCode = status ?? 1
