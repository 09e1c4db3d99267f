import { PromptStrataError } from "../core/errors.ts"
import { isLocale } from "../dialect/locales.ts"

/** Where a locale can come from; the first that says one is taken. */
export interface LocaleSources {
  /** What the user asked for, such as `--locale`. */
  readonly option?: string | undefined
  /** What the profile says. */
  readonly profile?: string | undefined
  /** The environment: `LC_ALL`, `LC_MESSAGES`, then `LANG`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The language of the prompts: the option, else the profile's, else the environment's, where `zh*` means `zh-CN` and all else
 * `en`. `zh` and `en` with any region stand for `zh-CN` and `en` in an option too; one that is no locale throws `usage`.
 */
export function chooseLocale({ option, profile, env }: LocaleSources): string {
  if (option !== undefined) return fromOption(option)
  if (profile !== undefined) return profile
  const language = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((value) => value !== undefined && value !== "")
  return shippedLocale(language ?? "") ?? "en"
}

function fromOption(option: string): string {
  const locale = shippedLocale(option) ?? option
  if (isLocale(locale)) return locale
  throw new PromptStrataError("usage", `expected a locale such as "en" or "zh-CN", found ${JSON.stringify(option)}.`)
}

/** The shipped locale of a language tag or of a POSIX name such as `zh_TW.UTF-8`. */
function shippedLocale(name: string): "en" | "zh-CN" | undefined {
  const language = name.split(/[-_.@]/, 1)[0]?.toLowerCase()
  if (language === "zh") return "zh-CN"
  return language === "en" ? "en" : undefined
}
