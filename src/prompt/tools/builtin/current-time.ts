import leven from "leven"
import { PromptStrataError } from "../../../core/errors.ts"
import type { Clock } from "../../../core/ports.ts"
import { shippedPrompts } from "../../dialect/shipped-files.ts"
import { renderParsed } from "../../template/render.ts"
import { defineTool } from "../define-tool.ts"
import { textArguments } from "../text-arguments.ts"
import type { Tool } from "../tool.ts"
import { type ToolWords, toolWords } from "../tool-words.ts"
import { findTimeZone } from "./time-zone.ts"

/** Options of {@link currentTimeTool}. */
interface CurrentTimeOptions {
  readonly clock: Clock
  /** The language of the tool's texts and of the weekday, such as `zh-CN`. */
  readonly locale: string
  /** The time zone when the model asks for none. Default: the host's. */
  readonly timeZone?: string | undefined
  /** The tool's texts. Default: the shipped ones. */
  readonly words?: ToolWords | undefined
}

/**
 * Makes the tool `current_time`, which answers `2026-11-21 14:05:09 星期六 (Asia/Shanghai, UTC+08:00)`. An unknown zone throws
 * `tool-arguments` with similar names.
 */
export function currentTimeTool(options: CurrentTimeOptions): Tool {
  const { clock, locale, timeZone, words = toolWords(shippedPrompts("tools", locale), locale, "current_time") } = options
  const { description, usageHint, parameters, answer } = words
  return defineTool({
    name: "current_time",
    description,
    usageHint,
    repeatable: true,
    inputSchema: textArguments({ timezone: { description: parameters.timezone, optional: true } }),
    execute({ timezone }) {
      const name = timezone?.trim() || timeZone || new Intl.DateTimeFormat().resolvedOptions().timeZone
      const zone = findTimeZone(name)
      if (zone === undefined) {
        const near = nearTimeZones(name)
        const message = renderParsed(answer, { unknown: JSON.stringify(name.slice(0, 100)), near: near.join(", ") })
        throw new PromptStrataError("tool-arguments", message, { evidence: { timeZone: name, near } })
      }
      return renderParsed(answer, { zone, ...localTime(clock.nowMs(), zone, locale) })
    },
  })
}

/**
 * Returns the local `date` (`2026-11-21`), `time` (`14:05:09`), `weekday` in the language of `locale` and UTC `offset`
 * (`+08:00`), by the Gregorian calendar and a 24-hour clock in every locale.
 */
function localTime(atMs: number, timeZone: string, locale: string) {
  // Swedish writes dates and times as ISO 8601 does.
  const local = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(atMs)
  const [date, time] = local.split(" ")
  const zoned = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }).formatToParts(atMs)
  const offset = zoned.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "") || "+00:00"
  return { date, time, weekday: new Intl.DateTimeFormat(locale, { timeZone, weekday: "long" }).format(atMs), offset }
}

const maxSuggestions = 3

/** A longer name is no mistyped one, and to compare it would take long. */
const maxNameLength = 64

/** Returns at most three zones with a similar name: those of the same city, else those of similar spelling, the nearest first. */
export function nearTimeZones(name: string): string[] {
  const wanted = fold(name)
  if (wanted === "" || wanted.length > maxNameLength) return []
  const zones = Intl.supportedValuesOf("timeZone")
  const sameCity = zones.filter((zone) => cityOf(fold(zone)) === cityOf(wanted))
  if (sameCity.length > 0) return sameCity.slice(0, maxSuggestions)
  const maxDistance = Math.max(1, Math.floor(wanted.length / 3))
  return zones
    .map((zone) => ({ zone, distance: Math.min(leven(wanted, fold(zone)), leven(wanted, cityOf(fold(zone)))) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, maxSuggestions)
    .map(({ zone }) => zone)
}

function fold(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf("/") + 1)
}
