// Builds dist/: JavaScript bundled per subpath with shared chunks, so that an entry loads as a few files instead of one
// for every module (an import of 150 modules costs several times the CPU of the code in them), and declarations by tsc.
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, isAbsolute, relative } from "node:path"
import { rolldown } from "rolldown"
import { minifySync, parseSync, Visitor } from "rolldown/utils"
import { profileJsonSchema } from "../src/node/profile/profile-json-schema.ts"
import { buildPage } from "./build-page.mjs"
import { documentProfileTypes } from "./document-profile-types.ts"
import { inlined } from "./inlined.ts"
import { pruneDeclarations } from "./prune-declarations.ts"
import { distName, entrySources, pathIn, programSource, shippedPromptsFolder } from "./rooms.ts"

const { dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"))

/** The sources of all that is imported by name, by the name of its file in `dist/`. */
const entries = Object.entries(entrySources).map(([subpath, source]) => [distName(subpath), source])

/** The shipped prompts: modules of their own, of which a program reads those of its dialect. */
const prompts = readdirSync(shippedPromptsFolder)
  .filter((name) => !name.endsWith("folders.ts"))
  .map((name) => [`chunks/shipped-prompts/${name.replace(/\.ts$/, "")}`, `${shippedPromptsFolder}/${name}`])

/** What assembling needs, what fits a request besides, what the root entry loads at once, what a turn of an agent needs, what answers in prose need, what plans in JSON need, what hooks and tools need, what its calls of tools need, what the tables of a store in memory need, what is loaded with a turn or behind it, the entry for Node.js, and the list of commands: filled when every module is known. */
const ofAssembly = new Set()
const ofFitting = new Set()
const ofErrors = new Set()
const ofRoot = new Set()
const ofTurn = new Set()
const ofProse = new Set()
const ofPlans = new Set()
const ofTools = new Set()
const ofCalls = new Set()
const ofTables = new Set()
const ofLater = new Set()
const ofNode = new Set()
const ofProgram = new Set()
/** True for the module of a source file, such as `src/index.ts`. */
const isSource = (id, path) => id.replaceAll("\\", "/").endsWith(`/${path}`)
const findLoaded = {
  name: "find-loaded",
  buildEnd() {
    const add = (to, from) => {
      const open = [...this.getModuleIds()].filter((id) => isSource(id, from))
      for (let id = open.pop(); id !== undefined; id = open.pop()) {
        if (to.has(id)) continue
        to.add(id)
        open.push(...(this.getModuleInfo(id)?.importedIds ?? []))
      }
    }
    add(ofAssembly, pathIn("assemble", "assemble-request.ts"))
    for (const file of ["core/check-options.ts", "prompt/dialect/shipped.ts", "prompt/layers/turn-injections.ts"])
      add(ofAssembly, `src/${file}`)
    add(ofAssembly, pathIn("stack", "prompt-stack.ts"))
    add(ofErrors, "src/core/errors.ts")
    add(ofRoot, "src/index.ts")
    add(ofRoot, pathIn("turn", "turn-context.ts"))
    add(ofTurn, pathIn("agent", "agent.ts"))
    add(ofTurn, pathIn("profile", "resolve.ts"))
    add(ofTurn, pathIn("agent", "session-turn.ts"))
    add(ofProse, pathIn("turn", "prose.ts"))
    add(ofPlans, pathIn("turn", "plan-json.ts"))
    for (const name of ["prepare", "fit-tool-text"]) add(ofTools, pathIn("turn", `${name}.ts`))
    add(ofFitting, pathIn("assemble", "assemble.ts"))
    add(ofTables, pathIn("services", "store/in-memory/session-table.ts"))
    add(ofCalls, pathIn("turn", "calls/calls.ts"))
    for (const [room, file] of later) add(ofLater, pathIn(room, file))
    add(ofNode, pathIn("node", "index.ts"))
    add(ofProgram, pathIn("cli", "run-cli.ts"))
  },
}

/** Puts the JSON Schema of profiles into the package as data. */
const withSchema = {
  name: "with-schema",
  load: (id) =>
    isSource(id, pathIn("node", "profile/profile-json-schema.ts"))
      ? `export const profileJsonSchema = () => (${JSON.stringify(profileJsonSchema())})`
      : null,
}

/** Puts the shapes of credentials into the package without the words that say what each is of. */
const withShapes = {
  name: "with-shapes",
  transform: (code, id) =>
    isSource(id, pathIn("core", "secrets/credential-shapes.json"))
      ? JSON.stringify(JSON.parse(code, (key, value) => (key === "of" || key === "source" ? undefined : value)))
      : null,
}

/** Packages that are the user's to install and to update. */
const promised = Object.keys({ ...dependencies, ...peerDependencies })
const isExternal = (id) => {
  if (id.startsWith(".") || isAbsolute(id) || inlined.has(id)) return false
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(id)
  if (id.startsWith("node:") || promised.includes(name)) return true
  throw new Error(`${id} is imported, and package.json does not promise it.`)
}

/** The borders that a turn with memory and a store crosses. */
const later = [
  ["turn", "calls/calls.ts"],
  ["turn", "plan-native.ts"],
  ["services", "memories.ts"],
  ["agent", "borders/aside.ts"],
  ["stores", "sqlite/open-sqlite-store.ts"],
]

const isOfNode = (id) => id.replaceAll("\\", "/").includes(`/${pathIn("node")}/`)

rmSync("dist", { recursive: true, force: true })
const page = await buildPage()
rmSync("dist/inspector", { recursive: true })
/** Puts the inspector's page into the package as text, so that it needs no file at run time. */
const withPage = {
  name: "with-page",
  load: (id) =>
    isSource(id, pathIn("server", "inspector/built-page.ts"))
      ? `const files = ${JSON.stringify(page)}; export const builtFile = (name) => files[name]`
      : null,
}
/**
 * Makes code small and leaves each statement of a function on a line of its own: before the message of an uncaught error Node.js prints
 * the whole line. Functions and classes keep their names, so that a stack trace can be read.
 */
const smallInLines = {
  name: "small-in-lines",
  renderChunk(given, { fileName }) {
    const mangle = { toplevel: true, keepNames: { function: true, class: true } }
    const { code, errors } = minifySync(fileName, given, { module: true, compress: true, mangle, codegen: true })
    if (errors.length > 0) throw new Error(`${fileName}: ${errors[0].message}`)
    const starts = new Set()
    const breakBefore = (nodes) => {
      for (const { start } of nodes) starts.add(start)
    }
    new Visitor({
      Program: ({ body }) => breakBefore(body),
      BlockStatement: ({ body }) => breakBefore(body),
      SwitchCase: ({ consequent }) => breakBefore(consequent),
      ClassBody: ({ body }) => breakBefore(body),
      VariableDeclaration: ({ declarations }) => breakBefore(declarations.slice(1)),
      SequenceExpression: ({ expressions }) => breakBefore(expressions.slice(1)),
      ObjectExpression: ({ properties }) => breakBefore(properties.filter(({ value }) => value?.type === "FunctionExpression")),
    }).visit(parseSync(fileName, code).program)
    const places = [...starts].sort((a, b) => a - b)
    const lines = [...places, code.length].map((end, at) => code.slice(places[at - 1] ?? 0, end))
    // The bundler's helpers import `node:module` for one that is not used, and only Node.js has it.
    return lines
      .join("\n")
      .replace(/^import"node:\w+";\s*/m, "")
      .trimStart()
  },
}
const bundle = await rolldown({
  input: Object.fromEntries([...entries, ["cli", programSource], ...prompts]),
  platform: "node",
  plugins: [findLoaded, withSchema, withPage, withShapes, smallInLines],
  external: isExternal,
  // A slow machine is no mistake in the sources.
  checks: { bundlerTimings: false },
  onLog(level, log) {
    if (level !== "debug") throw new Error(log.message)
  },
})
const { output } = await bundle.write({
  dir: "dist",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  // By smallInLines.
  minify: false,
  // Every one of them stands before a `new Map`, `new Set` or `new WeakMap`, of which a program's bundler knows that they are pure.
  comments: { annotation: false },
  // All that the root entry loads as a few files, because an import pays for files more than for code. A program's bundler takes a file
  // with its `import()`s whole: so what assembling needs is a file of its own, for `assemble` calls for no agent, and so is what fits a
  // request, for few turns have a limit, what tools need, and what no turn needs, such as the parser of templates, for the shipped ones
  // are compiled.
  codeSplitting: {
    groups: [
      // All that `promptstrata --version` needs, and before it what of that the root entry needs: a group takes in what its files import.
      { name: "errors", test: (id) => ofAssembly.has(id) && ofErrors.has(id) },
      { name: "shipped-files", test: (id) => isSource(id, pathIn("node", "shipped-files.ts")) },
      { name: "assembly", test: (id) => ofAssembly.has(id) },
      { name: "fitting", test: (id) => ofFitting.has(id) },
      { name: "agent", test: (id) => ofRoot.has(id) && (ofTurn.has(id) || ofProse.has(id)) },
      { name: "tools", test: (id) => ofRoot.has(id) && ofTools.has(id) },
      { name: "core", test: (id) => ofRoot.has(id) },
      // Every turn needs what prose and plans share.
      { name: "turn", test: (id) => ofTurn.has(id) || (ofProse.has(id) && ofPlans.has(id)) },
      { name: "prose", test: (id) => ofProse.has(id) },
      { name: "plans", test: (id) => ofPlans.has(id) },
      // Models write bytes as text, and need nothing else of calls.
      { name: "blob", test: (id) => isSource(id, pathIn("services", "store/blob.ts")) },
      // Openai's model loads what writes pictures and files with the first of them.
      {
        name: "media",
        test: (id) => ["message-pieces.ts", "openai/media.ts"].some((file) => isSource(id, pathIn("models", file))),
      },
      // The little of calls that the entry for Node.js needs stands apart: it would load all of them.
      { name: "node-calls", test: (id) => ofCalls.has(id) && ofNode.has(id) },
      { name: "calls", test: (id) => ofCalls.has(id) },
      { name: "tables", test: (id) => ofTables.has(id) },
      // The list of commands needs little of the entry for Node.js.
      { name: "list", test: (id) => ofProgram.has(id) && ofNode.has(id) },
      // What turns share with the entry for Node.js, which holds much more that no turn needs.
      { name: "work", test: (id) => ofNode.has(id) && ofLater.has(id) },
      // What entries that run without Node.js share with the one for it stands apart, and before it: a group takes in what its files import.
      { name: "shared", test: (id) => ofNode.has(id) && !isOfNode(id) },
      { name: "node", test: (id) => ofNode.has(id) && isOfNode(id) },
    ],
  },
})
await bundle.close()
/** The entries that only run on Node.js. All others run wherever JavaScript does. */
const needNode = ["node", "cards", "mcp", "stores"]
const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
for (const [name] of entries) {
  const loaded = new Set([`${name}.js`])
  for (const file of loaded) for (const imported of chunks.get(file)?.imports ?? []) loaded.add(imported)
  const found = [...loaded].flatMap((file) => [...(chunks.get(file)?.code ?? "").matchAll(/\b(?:from|import)"(node:[\w/]+)"/g)])
  if (found.length > 0 && !needNode.includes(name))
    throw new Error(`The entry ${name} loads ${found.map(([, module]) => module).join(", ")}.`)
}
for (const [name, license] of inlined) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"))
  copyFileSync(`node_modules/${name}/${license}`, `dist/chunks/${name}-${version}.LICENSE.txt`)
}
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json", "--checkers", "2"], { stdio: "inherit" })
documentProfileTypes("dist/types")
for (const [name, source] of entries) {
  const declarations = relative(dirname(name), source.replace(/^src/, "types").replace(/\.ts$/, ".js")).replaceAll("\\", "/")
  mkdirSync(dirname(`dist/${name}`), { recursive: true })
  writeFileSync(`dist/${name}.d.ts`, `export * from "${declarations.startsWith(".") ? declarations : `./${declarations}`}"\n`)
}
pruneDeclarations(
  "dist",
  entries.map(([name]) => `dist/${name}.d.ts`),
  promised,
)
process.exitCode = status ?? 1
