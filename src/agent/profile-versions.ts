import { isProfileSource, type Profile, type ProfileSource } from "../profile/profile.ts"
import type { Plugin } from "../services/plugin.ts"
import type { AgentContext } from "../turn/turn-context.ts"

/** An agent's parts as its profile changes (L13). */
export interface ProfileVersions {
  /** Those of the last good profile. */
  readonly latest: AgentContext
  /** Those for a session that begins now; a promise while a changed profile is read. Never rejects. */
  current(): AgentContext | Promise<AgentContext>
  /** The plugins of every version that have something to free. */
  readonly closable: readonly Plugin[]
}

/** Makes parts of a profile and of each that takes its place. Throws what `make` throws of the first; of a later one its source is told. */
export function profileVersions(given: Profile | ProfileSource, make: (profile: Profile) => AgentContext): ProfileVersions {
  const source = isProfileSource(given) ? given : undefined
  const made = new WeakMap<Profile, AgentContext>()
  const closable: Plugin[] = []
  const add = (profile: Profile): AgentContext => {
    const parts = make(profile)
    for (const plugin of parts.plugins)
      if (plugin.close && !closable.some((known) => isSame(known, plugin))) closable.push(plugin)
    return parts
  }
  const first = isProfileSource(given) ? given.profile : given
  let latest = add(first)
  made.set(first, latest)
  const partsOf = (profile: Profile): AgentContext => {
    const known = made.get(profile)
    if (known !== undefined) latest = known
    else {
      try {
        latest = add(profile)
      } catch (error) {
        source?.refuse?.(error, profile)
      }
      made.set(profile, latest)
    }
    return latest
  }
  return {
    get latest() {
      return latest
    },
    closable,
    current() {
      const profile = source?.current() ?? first
      return profile instanceof Promise ? profile.then(partsOf) : partsOf(profile)
    },
  }
}

/** A plugin that outlives a version may come again as a copy, whose skills have other modes: it is closed once. */
function isSame(known: Plugin, plugin: Plugin): boolean {
  return known === plugin || (known.name === plugin.name && Object.hasOwn(plugin, "close") && known.close === plugin.close)
}
