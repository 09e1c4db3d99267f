import type { TestProject } from "vitest/node"
import { startPostgres } from "./postgres-server.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The maintenance database of the server that runs for all tests. */
    readonly postgresUrl: string
  }
}

/** Starts one server for every test file of the project and ends it after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide("postgresUrl", server.url)
  return () => server.stop()
}
