import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { Profile } from "../profile/profile.ts"
import type { ProfileSource } from "../profile/profile-source.ts"
import type { Plugin } from "../services/plugin.ts"
import { FileLog, withFileLog } from "./file-log.ts"
import { type LoadProfileOptions, readProfile } from "./load-profile.ts"

/** How a watched profile is loaded, and who is told when an edit breaks it. */
export interface WatchProfileOptions extends LoadProfileOptions {
  /** Told once of each broken edit; the last good profile stays in use. Default: `console.warn`. */
  readonly onProblem?: (problem: PromptStrataError) => void
}

/** A profile whose files are looked at whenever a session begins (L13). */
export interface ProfileWatch extends ProfileSource {
  /** What is wrong with the files as they are now; `undefined` where `profile` is what they say. */
  readonly problem: PromptStrataError | undefined
  /** Looks at the files now; resolves to the profile that is good then. */
  refresh(): Promise<Profile>
  /** The files and folders that the profile depends on, also those whose absence it depends on. */
  readonly files: readonly string[]
}

/**
 * Loads a profile that changes with its files: profile, what it extends, persona, format, prompts, skills. Give it to
 * `createAgent`: a new session takes what is on disk then, a running one keeps what it began with. There is no watcher to close:
 * files are asked for their times, which costs about a millisecond. A broken edit leaves the last good profile in use. Plugins of
 * modules are made anew only where their options change, and their code is read once in a process. Throws what `loadProfile` throws.
 */
export async function watchProfile(nameOrPath: string, options: WatchProfileOptions = {}): Promise<ProfileWatch> {
  const made = new Map<string, Plugin>()
  const load = (log: FileLog) => withFileLog(log, () => readProfile(nameOrPath, options, made))
  let log = new FileLog()
  let profile = await load(log)
  let before = profile
  let problem: PromptStrataError | undefined
  let loading: Promise<Profile> | undefined

  function fail(error: unknown): void {
    problem = asProblem(error)
    tell(options.onProblem ?? warnOnConsole, problem)
  }

  async function reload(): Promise<Profile> {
    // Of a broken profile too: what it did not reach cannot mend it.
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
    current,
    refresh: async () => current(),
    refuse(error, refused) {
      if (refused === profile) profile = before
      fail(error)
    },
  }
}

function asProblem(error: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(error)) return error
  return new PromptStrataError("profile", `The profile could not be loaded: ${messageOf(error)}`, { cause: error })
}

/** Who is told may throw; the profile that is good stays good. */
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
