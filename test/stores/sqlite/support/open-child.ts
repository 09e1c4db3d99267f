import { join } from "node:path"
import { openSqliteStore } from "../../../../src/stores/sqlite/open-sqlite-store.ts"

/** Makes one new store after the other and says so before each: most of its life it is in the midst of a migration. */
const { folder } = JSON.parse(process.argv[2] ?? "{}") as { readonly folder: string }
for (let number = 0; ; number++) {
  console.log(`open ${number}`)
  const store = await openSqliteStore(join(folder, String(number), "store.sqlite"))
  await store.close()
}
