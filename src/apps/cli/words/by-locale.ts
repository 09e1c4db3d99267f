/** Makes a function that returns the words for a locale: Chinese for `zh*`, else English. */
export function byLocale<Words>(words: { readonly en: Words; readonly zh: Words }): (locale: string) => Words {
  return (locale) => (locale.toLowerCase().startsWith("zh") ? words.zh : words.en)
}
