import { connectionTarget } from "../stores/postgres/connection-url.ts"
import type { CliIo } from "./io.ts"
import type { StoreOptions } from "./open-store.ts"

/** Where the store of a command lies, without a password. */
export function shownStore({ store, dataDir }: StoreOptions, env: CliIo["env"]): string {
  const where = store || env.PROMPTSTRATA_STORE || dataDir
  return /^postgres(?:ql)?:\/\//u.test(where) ? connectionTarget(where).shown : where
}
