/**
 * The places of all rooms (folders of `src/`), for tests and build: by name, below `src/`. Rows stand from the bottom up. A room
 * imports rooms of its own row and of the rows below it.
 */
export const layerRows: readonly Readonly<Record<string, string>>[] = [
  { core: "core" },
  { template: "template", encode: "encode", stack: "stack", model: "model" },
  { dialect: "dialect", tools: "tools", reply: "reply", layers: "layers" },
  { assemble: "assemble" },
  { services: "services", forgetting: "forgetting", profile: "profile", lint: "lint", trace: "trace" },
  { turn: "turn" },
  { agent: "agent" },
]

/** The rooms that may do I/O. None imports another one. */
export const edgePlaces: Readonly<Record<string, string>> = {
  node: "node",
  models: "models",
  mcp: "mcp",
  stores: "stores",
  tokenizers: "tokenizers",
  testing: "testing",
  bots: "bots",
  server: "server",
}

/** The command line, on top of everything. */
const topPlaces: Readonly<Record<string, string>> = { cli: "cli" }

const places: Readonly<Record<string, string>> = Object.assign({}, ...layerRows, edgePlaces, topPlaces)

/** The names of all rooms. */
export const roomNames: readonly string[] = Object.keys(places)

/** A path in a room, from the checkout: `pathIn("node", "index.ts")` is `src/node/index.ts`. */
export function pathIn(room: string, file = ""): string {
  const place = places[room]
  if (place === undefined) throw new Error(`${room} is no room; .ci/rooms.ts lists them.`)
  return file === "" ? `src/${place}` : `src/${place}/${file}`
}

/** The room of a path below `src/`, the innermost where rooms stand in each other; undefined in none. */
export function roomOf(path: string): string | undefined {
  const inside = roomNames.filter((name) => path.startsWith(`${pathIn(name)}/`))
  return inside.sort((a, b) => pathIn(b).length - pathIn(a).length)[0]
}

/** Every module that package.json exports, by subpath. Its name in `dist/` is that of the subpath. */
export const entrySources: Readonly<Record<string, string>> = {
  ".": "src/index.ts",
  "./node": pathIn("node", "index.ts"),
  "./bots": pathIn("bots", "index.ts"),
  "./cards": pathIn("node", "cards/index.ts"),
  "./forgetting": pathIn("forgetting", "index.ts"),
  "./inspector": pathIn("server", "inspector/index.ts"),
  "./mcp": pathIn("mcp", "index.ts"),
  "./models/ai-sdk": pathIn("models", "ai-sdk/index.ts"),
  "./models/openai": pathIn("models", "openai/index.ts"),
  "./server": pathIn("server", "index.ts"),
  "./stores": pathIn("stores", "index.ts"),
  "./testing": pathIn("testing", "index.ts"),
  "./tokenizers/tiktoken": pathIn("tokenizers", "tiktoken/index.ts"),
  "./trace": pathIn("trace", "index.ts"),
}

/** The program that package.json names. */
export const programSource: string = pathIn("cli", "main.ts")

/** `./models/openai` → `models/openai`, the name of an entry's files in `dist/`. */
export function distName(subpath: string): string {
  return subpath === "." ? "index" : subpath.slice("./".length)
}

/** Modules that `npm run prompts` writes; in `dist/` they stand in `shipped-prompts/` beside the chunks. */
export const shippedPromptsFolder: string = pathIn("dialect", "shipped-prompts")
