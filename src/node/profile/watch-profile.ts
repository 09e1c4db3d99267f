import { checkOptions, checkType } from "../../core/check-options.ts"
import { asOurError, messageOf, type PromptStrataError } from "../../core/errors.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Profile, ProfileSource } from "../../profile/profile.ts"
import type { PromptFiles } from "../../profile/prompt-files.ts"
import { FileLog, withFileLog } from "../file-log.ts"
import { ProfileFiles } from "../prompt-files/open-prompt-files.ts"
import { type LoadProfileOptions, loadProfileOptions, readProfile } from "./load-profile.ts"

/** How a watched profile is loaded, and what happens when an edit breaks it. */
export interface WatchProfileOptions extends LoadProfileOptions {
  /** Called once for each broken edit. The last good profile stays in use. Default: `console.warn`. */
  readonly onProblem?: (problem: PromptStrataError) => void
}

/** A profile whose files are checked for changes whenever a session begins (L13). */
export interface ProfileWatch extends ProfileSource {
  /** The error of the files as they were last read. `undefined` when `profile` was read from them. */
  readonly problem: PromptStrataError | undefined
  /** Checks the files now. Resolves to the profile that is in use then. */
  refresh(): Promise<Profile>
  /** The files and folders that the profile depends on. Files that do not exist, but would change it, are among them. */
  readonly files: readonly string[]
  /** Its files to be edited, as `inspector` takes them. */
  readonly promptFiles: PromptFiles
}

/**
 * Loads a profile that changes with its files: the profile, the profiles it extends, persona, format, prompts and skills. Give it
 * to `createAgent`: a new session takes what is on disk then, a running session keeps the profile with which it began. There is no
 * watcher to close: the times of the files are compared, which costs about a millisecond. A broken edit leaves the last good
 * profile in use. The plugin of a module is made again only when its options change; its code is read once in a process. Throws the
 * errors of `loadProfile`.
 */
export async function watchProfile(nameOrPath: string, options: WatchProfileOptions = {}): Promise<ProfileWatch> {
  checkType("the nameOrPath of watchProfile", nameOrPath, "string")
  checkOptions("watchProfile", options, `${loadProfileOptions} onProblem`)
  const made = new Map<string, Plugin>()
  const load = (log: FileLog) => withFileLog(log, () => readProfile(nameOrPath, options, { made }))
  let edited: PromptFiles | undefined
  let log = new FileLog()
  let profile = await load(log)
  let before = profile
  let problem: PromptStrataError | undefined
  let loading: Promise<Profile> | undefined

  function fail(error: unknown): void {
    problem = asOurError(error, "profile", "The profile could not be loaded")
    tell(options.onProblem ?? warnOnConsole, problem)
  }

  async function reload(): Promise<Profile> {
    // A broken profile is watched too. A file that it did not reach cannot mend it.
    log = new FileLog()
    try {
      const changed = await load(log)
      before = profile
      profile = changed
      problem = undefined
    } catch (error) {
      fail(error)
    }
    loading = undefined
    return profile
  }

  function current(): Profile | Promise<Profile> {
    if (loading === undefined && log.isUnchanged()) return profile
    loading ??= reload()
    return loading
  }

  return {
    get profile() {
      return profile
    },
    get problem() {
      return problem
    },
    get files() {
      return log.paths
    },
    get promptFiles() {
      edited ??= new ProfileFiles(nameOrPath, options)
      return edited
    },
    current,
    refresh: async () => current(),
    refuse(error, refused) {
      if (refused === profile) profile = before
      fail(error)
    },
  }
}

/** Calls `onProblem`. The good profile stays in use even if that throws. */
function tell(onProblem: (problem: PromptStrataError) => void, problem: PromptStrataError): void {
  try {
    onProblem(problem)
  } catch (error) {
    console.warn(`promptstrata: onProblem threw: ${messageOf(error)}`)
  }
}

function warnOnConsole({ message }: PromptStrataError): void {
  console.warn(`promptstrata: the profile's last good version stays in use. ${message}`)
}
