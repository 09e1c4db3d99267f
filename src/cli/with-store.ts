import type { Profile } from "../profile/profile.ts"
import type { Store, StoreScope } from "../services/store/store.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { openProfile } from "./open-profile.ts"
import { openCliStore, type StoreOptions } from "./open-store.ts"
import { type StoreWords, storeWords } from "./words-store.ts"

/** What a command that looks at a store takes. */
export interface StoreCommandOptions extends CommonOptions, StoreOptions {}

/** Which part of a store is meant. Default: all of the profile's agent. */
export interface ScopeOptions {
  readonly user?: string
  readonly conversation?: string
}

/** What such a command works with. */
export interface OpenedStore {
  readonly store: Store
  readonly profile: Profile
  readonly words: StoreWords
  /** Columns of the terminal; none where output goes elsewhere. */
  readonly width: { readonly maxWidth?: number }
}

/** Opens the profile and its store and runs a command over them; without a store it says so. Resolves to the exit code. */
export async function withStore(
  options: StoreCommandOptions,
  context: CliContext,
  run: (opened: OpenedStore) => Promise<number>,
): Promise<number> {
  const profile = await openProfile(options, context.io)
  const words = storeWords(profile.locale)
  const store = await openCliStore(options, context, { ifThere: true })
  if (store !== undefined) {
    const { columns, isTTY } = context.io.stdout
    return run({ store, profile, words, width: isTTY === true && columns !== undefined ? { maxWidth: columns } : {} })
  }
  const isOff = options.store === false || (options.store ?? context.io.env.PROMPTSTRATA_STORE) === "none"
  context.screen.complain(isOff ? words.storeOff : words.noStore(options.store || options.dataDir))
  return exitCodes.failed
}

/** The scope of a profile's agent that the options name; a user comes before a conversation. */
export function scopeOf({ agent }: Profile, { user, conversation }: ScopeOptions): StoreScope {
  if (user !== undefined) return { agent: agent.id, user }
  return conversation === undefined ? { agent: agent.id } : { agent: agent.id, conversation }
}
