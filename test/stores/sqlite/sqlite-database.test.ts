import { join } from "node:path"
import { expect, test } from "vitest"
import { hostTimers } from "../../../src/core/ports.ts"
import { loadSqlite } from "../../../src/stores/sqlite/node-sqlite.ts"
import { openSqliteDatabase } from "../../../src/stores/sqlite/sqlite-database.ts"
import { tempFolder } from "../../support/temp-folder.ts"

test("what still waits for its transaction as the file is closed is refused as closed", async () => {
  const options = { timers: hostTimers, random: Math.random, busyMs: 1_000 }
  const database = await openSqliteDatabase(await loadSqlite(), join(tempFolder(), "store.sqlite"), options)
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const first = database.read(() => gate)
  const waiting = [database.read(async () => "read"), database.write(async () => "written")].map((work) =>
    work.catch((error: { readonly code?: string }) => error.code),
  )
  const closing = database.close()
  open()
  await Promise.allSettled([first, closing])
  for (const outcome of await Promise.all(waiting)) expect(outcome).toBe("closed")
})
