import type { Plugin } from "../../memory/services/plugin.ts"
import { isProfileSource, type Profile, type ProfileSource } from "../../profile/profile.ts"
import type { AgentContext } from "../turn/turn-context.ts"

/** The contexts of an agent, one for each profile that it has had (L13). */
export interface ProfileVersions {
  /** The context of the last valid profile. */
  readonly latest: AgentContext
  /** The context for a session that begins now. A promise while a changed profile is read. Never rejects. */
  current(): AgentContext | Promise<AgentContext>
  /** The plugins of every version that have a `close`. */
  readonly closable: readonly Plugin[]
}

/** Calls `make` for the first profile and for each later one. An error of the first is thrown. An error of a later one goes to the profile's source. */
export function profileVersions(given: Profile | ProfileSource, make: (profile: Profile) => AgentContext): ProfileVersions {
  const source = isProfileSource(given) ? given : undefined
  /** By profile: sessions of an earlier version keep it for as long as they live. */
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

/** True for the same plugin. A later version may have a copy of it whose skills have other modes; it is closed once. */
function isSame(known: Plugin, plugin: Plugin): boolean {
  return known === plugin || (known.name === plugin.name && Object.hasOwn(plugin, "close") && known.close === plugin.close)
}
