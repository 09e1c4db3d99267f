import { existsSync } from "node:fs"
import type { DatabaseStore } from "../../adapters/stores/database-store.ts"
import { openStore } from "../../adapters/stores/open-store.ts"
import { connectionTarget } from "../../adapters/stores/postgres/connection-url.ts"
import { storeFile } from "../../adapters/stores/sqlite/store-file.ts"
import { terminalText } from "../../prompt/encode/terminal-text.ts"
import type { CliContext } from "./context.ts"
import type { CliIo } from "./io.ts"
import type { StoreOptions } from "./options.ts"

/**
 * Opens the chosen store; it is closed when the program ends. Undefined if no store is wanted, and with `ifThere` if the folder
 * has no store yet.
 */
export async function openCliStore(
  options: StoreOptions,
  context: CliContext,
  { ifThere = false }: { readonly ifThere?: boolean } = {},
): Promise<DatabaseStore | undefined> {
  const place = storePlace(options, context.io.env)
  if (place === undefined) return undefined
  const onWarning = (message: string): void =>
    context.screen.note(context.screen.paint("yellow", `! ${terminalText(context.translate(message))}`))
  if (!isUrl(place) && ifThere && !existsSync(storeFile(place))) return undefined
  const file = { onWarning, ...context.storeTime }
  const opened = isUrl(place) ? await openStore({ url: place, onWarning }) : await openStore(place, file)
  context.atEnd(async () => {
    // A command that waits for its jobs has done so before. Other jobs stay in the store for the next run.
    await opened.jobs.close({ drainMs: 0 })
    await opened.close()
  })
  return opened
}

/** The folder or URL of the chosen store; undefined if no store is wanted. */
export function storePlace({ store, dataDir }: StoreOptions, env: CliIo["env"]): string | undefined {
  const place = store ?? (env.PROMPTSTRATA_STORE || dataDir)
  return place === false || place === "none" ? undefined : place
}

/** The place of a store for people, without the password of a URL. */
export function shownPlace(place: string): string {
  return isUrl(place) ? connectionTarget(place).shown : place
}

function isUrl(place: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(place)
}
