import { PromptStrataError } from "../core/errors.ts"

/** What is used of the package `@modelcontextprotocol/client`. */
export type ClientModule = typeof import("@modelcontextprotocol/client")

/** What is used of its part that starts programs. */
export type StdioModule = typeof import("@modelcontextprotocol/client/stdio")

/** Loads the package, which costs more than everything else here: only when a server is first connected. */
export interface ClientLibrary {
  client(): Promise<ClientModule>
  stdio(): Promise<StdioModule>
}

/** The installed package; throws `missing-dependency` without it. */
export const clientLibrary: ClientLibrary = {
  client: () => loadOrExplain(() => import("@modelcontextprotocol/client")),
  stdio: () => loadOrExplain(() => import("@modelcontextprotocol/client/stdio")),
}

/** What `load` resolves to; whatever keeps it from loading is `missing-dependency`. */
export async function loadOrExplain<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new PromptStrataError(
      "missing-dependency",
      "MCP servers need the package `@modelcontextprotocol/client`, version 2, which could not be loaded.",
      { cause, hint: "Run `npm install @modelcontextprotocol/client`." },
    )
  }
}
