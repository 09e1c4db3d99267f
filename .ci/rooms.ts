/** A folder of `src/`. Its rooms stand in rows from the bottom up; a room with the wing's own name is the wing's folder. */
interface Wing {
  readonly name: string
  readonly rows: readonly (readonly string[])[]
  /** True where its rooms may do I/O. */
  readonly edge?: true
}

/**
 * The places of all rooms, for tests and build. Wings stand from the bottom up, and so do the rows in each: a room imports rooms of its
 * own row, of the rows below it, and of the wings below its own.
 */
export const wings: readonly Wing[] = [
  { name: "core", rows: [["core"], ["model"]] },
  { name: "prompt", rows: [["template", "encode", "stack"], ["dialect", "tools", "layers"], ["assemble"]] },
  { name: "reply", rows: [["reply"]] },
  { name: "trace", rows: [["trace"]] },
  { name: "memory", rows: [["services", "forgetting"]] },
  { name: "profile", rows: [["profile"]] },
  { name: "lint", rows: [["lint"]] },
  { name: "loop", rows: [["turn"], ["agent"]] },
  { name: "node", rows: [["node"]], edge: true },
  { name: "adapters", rows: [["models", "mcp", "stores", "tokenizers"]], edge: true },
  { name: "testing", rows: [["testing"]], edge: true },
  { name: "apps", rows: [["server", "bots"], ["cli"]], edge: true },
]

const places = new Map(
  wings.flatMap(({ name, rows }) => rows.flat().map((room) => [room, room === name ? name : `${name}/${room}`] as const)),
)

/** The names of all rooms. */
export const roomNames: readonly string[] = [...places.keys()]

/** A path in a room, from the checkout: `pathIn("node", "index.ts")` is `src/node/index.ts`. */
export function pathIn(room: string, file = ""): string {
  const place = places.get(room)
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
  "./bots/discord": pathIn("bots", "discord/index.ts"),
  "./bots/telegram": pathIn("bots", "telegram/index.ts"),
  "./cards": pathIn("node", "cards/index.ts"),
  "./forgetting": pathIn("forgetting", "index.ts"),
  "./inspector": pathIn("server", "inspector/index.ts"),
  "./mcp": pathIn("mcp", "index.ts"),
  "./models/ai-sdk": pathIn("models", "ai-sdk/index.ts"),
  "./models/openai": pathIn("models", "openai/index.ts"),
  "./reply": pathIn("reply", "index.ts"),
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
