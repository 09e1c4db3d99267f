import { join } from "node:path"
import { openSqliteStore } from "../../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"

/** Makes one new store after the other and writes a line before each. So most of the time it is in a migration. */
const { folder } = JSON.parse(process.argv[2] ?? "{}") as { readonly folder: string }
for (let number = 0; ; number++) {
  console.log(`open ${number}`)
  const store = await openSqliteStore(join(folder, String(number), "store.sqlite"))
  await store.close()
}
