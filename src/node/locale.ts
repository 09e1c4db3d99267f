import { PromptStrataError } from "../core/errors.ts"
import { isLocale } from "../prompt/dialect/locales.ts"

/** The sources of a locale; the first that has one wins. */
export interface LocaleSources {
  /** The user's choice, such as `--locale`. */
  readonly option?: string | undefined
  /** The profile's `locale`. */
  readonly profile?: string | undefined
  /** The environment, of which `LC_ALL`, `LC_MESSAGES` and `LANG` are read, in this order. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The language of the prompts: the option, else the profile's, else the environment's, where `zh*` means `zh-CN` and any other
 * `en`. In an option too, `zh` and `en` with any region mean `zh-CN` and `en`. An option that is no locale throws `usage`.
 */
export function promptLocale({ option, profile, env }: LocaleSources): string {
  if (option !== undefined) {
    const locale = shippedLocale(option) ?? option
    if (isLocale(locale)) return locale
    throw new PromptStrataError("usage", `expected a locale such as "en" or "zh-CN", found ${JSON.stringify(option)}.`)
  }
  return profile ?? environmentLocale(env) ?? "en"
}

/** The locale that the environment names; undefined where it names none of the shipped ones, as `C.UTF-8` in a container. */
export function environmentLocale(env: LocaleSources["env"]): string | undefined {
  const language = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((value) => value !== undefined && value !== "")
  return shippedLocale(language ?? "")
}

/** The shipped locale of a language tag or of a POSIX name such as `zh_TW.UTF-8`. */
function shippedLocale(name: string): "en" | "zh-CN" | undefined {
  const language = name.split(/[-_.@]/, 1)[0]?.toLowerCase()
  if (language === "zh") return "zh-CN"
  return language === "en" ? "en" : undefined
}
