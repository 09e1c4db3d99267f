import { loadProfile } from "../node/load-profile.ts"
import type { Profile } from "../profile/profile.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliIo } from "./io.ts"

/** The chosen profile; its language is `--locale`, else its own, else the environment's. */
export async function openProfile({ profile, locale, dataDir }: CommonOptions, { env }: CliIo): Promise<Profile> {
  return loadProfile(profile, { locale, env, dataFolder: dataDir })
}
