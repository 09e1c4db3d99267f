import { dirname, isAbsolute, resolve } from "node:path"
import type { McpServerSettings, Profile } from "../profile/profile.ts"
import { camelKeys } from "./camel-keys.ts"
import type { ProfileFile } from "./profile-schema.ts"
import type { ProfileDocument } from "./read-profile-file.ts"

/** A file's MCP servers; paths become absolute, each relative to the file that sets it. */
export function profileMcp({ mcp }: ProfileFile, chain: readonly ProfileDocument[]): Profile["mcp"] {
  const servers = Object.entries(mcp?.servers ?? {}).map(([name, server]): [string, McpServerSettings] => {
    // Copied, as TOML's tables have no prototype.
    const { command, cwd, ...settings } = camelKeys(structuredClone(server))
    return [
      name,
      {
        ...settings,
        ...(command === undefined ? {} : { command: isPath(command) ? besideIts(chain, name, "command", command) : command }),
        ...(cwd === undefined ? {} : { cwd: besideIts(chain, name, "cwd", cwd) }),
      },
    ]
  })
  return { servers: Object.fromEntries(servers) }
}

/** Anything else is looked up on PATH. */
function isPath(command: string): boolean {
  return !isAbsolute(command) && (command.includes("/") || command.includes("\\"))
}

function besideIts(chain: readonly ProfileDocument[], server: string, key: "command" | "cwd", path: string): string {
  const document = chain.find(({ data }) => data.mcp?.servers?.[server]?.[key] !== undefined)
  return document === undefined ? resolve(path) : resolve(dirname(document.path), path)
}
