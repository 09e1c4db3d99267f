import { fileURLToPath } from "node:url"
import type { McpServerSettings } from "../../../src/profile/profile.ts"

/** How the fake server misbehaves. */
export interface FakeServerConfig {
  /** Raw entries at the end of its tool list. */
  readonly tools?: readonly unknown[]
  /** What it says of `echo`. */
  readonly echo?: string
  /** A file that holds more of them, as JSON: an argument has no room for many. */
  readonly toolsFile?: string
  /** A file that holds what it says of `echo`, read for each list. */
  readonly echoFile?: string
  readonly cursor?: "stuck" | "endless"
  /** Written to standard error at once. */
  readonly stderr?: string
  /** Writes what is no message between its messages. */
  readonly noise?: boolean
  /** Never answers the handshake. */
  readonly silent?: boolean
  /** Ends at once. */
  readonly exit?: boolean
  /** Ignores the end of its input and polite signals. */
  readonly stubborn?: boolean
  /** A file that it writes when it has begun, and what it writes at once is written. */
  readonly readyFile?: string
  /** Asks the user something before it lists its tools. */
  readonly asksAtOnce?: boolean
  /** What its resources hold. */
  readonly memo?: string
}

const program = fileURLToPath(new URL("./fake-server.ts", import.meta.url))

/** Settings that run a fake server, and variables for it. It behaves otherwise with others, as a program does that was updated. */
export function updatedServer(
  config: FakeServerConfig,
  { version = "1", ...settings }: McpServerSettings & { version?: string },
) {
  const env = { FAKE_CONFIG: JSON.stringify(config), FAKE_VERSION: version }
  return { settings: fakeServer({}, { ...settings, passEnv: Object.keys(env) }), env }
}

/** Settings that run a fake server. */
export function fakeServer(config: FakeServerConfig = {}, settings: McpServerSettings = {}): McpServerSettings {
  return { command: process.execPath, args: [program, JSON.stringify(config)], ...settings }
}
