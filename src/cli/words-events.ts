/** What `events` says to the person at the terminal. */
export interface EventWords {
  readonly none: (agent: string) => string
}

const en: EventWords = { none: (agent) => `${agent} remembers no events yet.` }

const zh: EventWords = { none: (agent) => `${agent}还没有记下任何事件。` }

/** The words for a locale: Chinese for `zh*`, else English. */
export function eventWords(locale: string): EventWords {
  return locale.startsWith("zh") ? zh : en
}
