/** The locales that replace a missing one, in this order. */
export const fallbackLocales = ["en", "zh-CN"]

/** True for a folder name that is a locale: `en`, `zh-CN`, `zh-Hans-CN`, `es-419`. */
export function isLocale(name: string): boolean {
  return /^[a-z]{2,3}(?:-[A-Z0-9][A-Za-z0-9]{1,3})*$/.test(name)
}

/** Chooses one of the available locales: the wanted one, else one of the same language, else `en`, else `zh-CN`, else the first. */
export function chooseLocale(wanted: string, available: readonly string[]): string | undefined {
  const language = (locale: string) => locale.split("-")[0]
  return (
    available.find((locale) => locale === wanted) ??
    available.find((locale) => language(locale) === language(wanted)) ??
    fallbackLocales.find((locale) => available.includes(locale)) ??
    available[0]
  )
}
