import { join } from "node:path"
import { describe } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { spending } from "../../support/spending.ts"
import { tempFolder } from "../../support/temp-folder.ts"

describe("in memory", () => spending(createInMemoryStore))
describe("in a file", () => spending(() => openSqliteStore(join(tempFolder(), "store.sqlite"))))
