import { PromptStrataError } from "../../core/errors.ts"
import type { Clock } from "../../core/ports.ts"
import { shippedPrompts } from "../../dialect/shipped.ts"
import { renderTemplate } from "../../template/render.ts"
import { defineTool } from "../define-tool.ts"
import type { Tool } from "../tool.ts"
import { type ToolWords, toolWords } from "../tool-words.ts"
import { localTime } from "./local-time.ts"
import { textArguments } from "./text-arguments.ts"
import { findTimeZone, nearTimeZones } from "./time-zone.ts"

/** Settings of {@link currentTimeTool}. */
export interface CurrentTimeOptions {
  readonly clock: Clock
  /** The language of the tool's texts and of the weekday, such as `zh-CN`. */
  readonly locale: string
  /** The zone where none is asked for; default the host's. */
  readonly timeZone?: string
  /** Other words than the shipped ones. */
  readonly words?: ToolWords
}

/** The tool `current_time`: `2026-11-21 14:05:09 星期六 (Asia/Shanghai, UTC+08:00)`. An unknown zone is an error that names near ones. */
export function currentTimeTool({ clock, locale, timeZone, words: given }: CurrentTimeOptions): Tool {
  const words = given ?? toolWords(shippedPrompts(), locale, "current_time")
  const { description, usageHint, parameters, answer } = words
  return defineTool({
    name: "current_time",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    repeatable: true,
    inputSchema: textArguments({ timezone: { description: parameters.timezone, optional: true } }),
    execute({ timezone }) {
      const name = timezone?.trim() || timeZone || hostTimeZone()
      const zone = findTimeZone(name)
      if (zone === undefined) {
        const near = nearTimeZones(name)
        const message = renderTemplate(answer, { unknown: JSON.stringify(name.slice(0, 100)), near: near.join(", ") })
        throw new PromptStrataError("tool-arguments", message, { evidence: { timezone: name, near } })
      }
      return renderTemplate(answer, { zone, ...localTime(clock.nowMs(), zone, locale) })
    },
  })
}

function hostTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}
