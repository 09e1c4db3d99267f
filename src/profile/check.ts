import { findTimeZone } from "../tools/builtin/time-zone.ts"
import { type BoundedPath, boundedPaths, boundsOf, describeBounds, isWithin } from "./bounds.ts"
import type { Profile } from "./profile.ts"

/** What is wrong with a profile, a line per path; empty when nothing is. */
export function profileProblems(profile: Profile): string[] {
  return [...blankNames(profile), ...looks(profile), ...numbersOutOfBounds(profile), ...toolsNotMade(profile)]
}

/** True for `#` and six hexadecimal digits. */
export function isColour(value: string): boolean {
  return /^#[0-9a-fA-F]{6}$/.test(value)
}

function looks({ agent: { colour }, timeZone }: Profile): string[] {
  return [
    ...(colour === undefined || isColour(colour)
      ? []
      : [`agent.colour: expected a colour such as "#1D75B3", found ${JSON.stringify(colour)}`]),
    ...(timeZone === undefined || findTimeZone(timeZone) !== undefined
      ? []
      : [`timeZone: expected a time zone such as "Asia/Shanghai", found ${JSON.stringify(timeZone)}`]),
  ]
}

function blankNames({ name, agent, user }: Profile): string[] {
  const names = { name, "agent.id": agent.id, "agent.name": agent.name, "user.name": user.name }
  return Object.entries(names)
    .filter(([, value]) => value.trim() === "")
    .map(([path, value]) => `${path}: expected a name, found ${JSON.stringify(value)}`)
}

interface FoundNumber {
  readonly bounds: BoundedPath
  readonly path: string
  readonly value: unknown
}

function numbersOutOfBounds(profile: Profile): string[] {
  return boundedPaths
    .flatMap((bounds) => numbersAt(profile, bounds))
    .filter(({ bounds, value }) => value !== undefined && !(typeof value === "number" && isWithin(value, boundsOf(bounds))))
    .map(({ bounds, path, value }) => `${path}: expected ${describeBounds(boundsOf(bounds))}, found ${String(value)}`)
}

function numbersAt(profile: Profile, bounds: BoundedPath): FoundNumber[] {
  if (bounds === "prestart.timeoutMs")
    return profile.prestart.map(({ timeoutMs }, at) => ({ bounds, path: `prestart[${at}].timeoutMs`, value: timeoutMs }))
  const value = bounds
    .split(".")
    .reduce<unknown>((inner, key) => (inner as Readonly<Record<string, unknown>> | undefined)?.[key], profile)
  return [{ bounds, path: bounds, value }]
}

/** A name alone brings no tool: `loadProfile` makes the tools, code passes them. */
function toolsNotMade({ tools: { enabled, builtin } }: Profile): string[] {
  const made = new Set(builtin.map(({ name }) => name))
  return enabled
    .filter((name) => !made.has(name))
    .map((name) => `tools.enabled: expected the tool ${JSON.stringify(name)} in tools.builtin, found none`)
}
