import { existsSync } from "node:fs"
import type { Store } from "../services/store/store.ts"
import { openStore } from "../stores/open-store.ts"
import { storeFile } from "../stores/sqlite/store-file.ts"
import type { CliContext } from "./context.ts"
import { terminalText } from "./terminal-text.ts"

/** Where a command finds what was remembered. */
export interface StoreOptions {
  /** A folder, a `postgres://` URL, or `none`; false for `--no-store`. Default: `PROMPTSTRATA_STORE`, else the data folder. */
  readonly store?: string | false
  readonly dataDir: string
}

/** The store that was asked for, closed when the program ends. Undefined where none is wanted; with `ifThere` also where a folder has none yet. */
export async function openCliStore(
  { store, dataDir }: StoreOptions,
  context: CliContext,
  { ifThere = false }: { readonly ifThere?: boolean } = {},
): Promise<Store | undefined> {
  const where = store ?? nonEmpty(context.io.env.PROMPTSTRATA_STORE) ?? dataDir
  if (where === false || where === "none") return undefined
  const onWarning = (message: string): void => context.screen.note(context.screen.paint("yellow", `! ${terminalText(message)}`))
  const isUrl = /^postgres(?:ql)?:\/\//u.test(where)
  if (!isUrl && ifThere && !existsSync(storeFile(where))) return undefined
  const opened = isUrl ? await openStore({ url: where, onWarning }) : await openStore(where, { onWarning })
  context.atEnd(async () => {
    // Whoever waited for jobs has done so: what is left stays for the next run.
    await opened.jobs.close({ drainMs: 0 })
    await opened.close()
  })
  return opened
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value
}
