import { join } from "node:path"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { tempFolder } from "../../support/temp-folder.ts"

/** The stores that need no server, new and empty. */
export const stores: readonly (readonly [name: string, open: () => Promise<Store>])[] = [
  ["memory", async () => createInMemoryStore()],
  ["a file", () => openSqliteStore(join(tempFolder(), "store.sqlite"))],
]
