import type { Lorebook, LoreEntry, LoreKey } from "../../../../src/prompt/layers/lorebook/lorebook.ts"
import type { LoreTurn } from "../../../../src/prompt/layers/lorebook/turn.ts"

/**
 * The same as `createLoreScanner(book).scan(turn)`, written a second time in the plainest way and from the requirements alone: every key
 * of every entry is searched for in every text, again in each pass. It understands letters and digits of ASCII and Chinese.
 */
export function plainScan(book: Lorebook, turn: LoreTurn) {
  const count = turn.messageCount ?? turn.messages.length
  const messages = turn.messages
    .map(({ speaker, text }) => (book.withNames && speaker !== undefined ? `${speaker}: ${text}` : text))
    .toReversed()
  const lore: string[] = []
  const entered: LoreEntry[] = []
  const out = new Set<LoreEntry>()
  const order = (entry: LoreEntry) => [-entry.order, book.entries.indexOf(entry)] as const
  const byOrder = book.entries.toSorted((a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1])
  const past = (entry: LoreEntry) => {
    const kept = turn.state?.[entry.id]
    const { sticky = 0, cooldown = 0 } = entry
    const since = kept === undefined ? 0 : count - kept.last
    return {
      wasIn: kept !== undefined && kept.first < count,
      sticks: since > 0 && since < sticky,
      cools: since > 0 && since >= sticky && since < sticky + cooldown,
    }
  }
  let [deeper, recursing, steps] = [0, false, 0]
  const levels = [...new Set(book.entries.map((entry) => entry.delayUntilRecursion ?? 0))].filter(Boolean).sort((a, b) => a - b)
  let level = levels.shift() ?? 0

  const occurs = (entry: LoreEntry) => (key: LoreKey) => {
    const depth = entry.scanDepth ?? (book.scanDepth ?? 2) + deeper
    const texts = [...messages.slice(0, depth), ...(entry.excludeRecursion ? [] : lore)]
    return texts.some((text) => hasKey(text, key, entry))
  }
  const isIn = (entry: LoreEntry): boolean => {
    const { conditions: rule = {}, character: filter } = entry
    if (entry.text.text.trim() === "" || entry.disabled || rule.force === "never") return false
    if (filter && turn.character && filter.names.length + filter.tags.length > 0) {
      const { name, tags } = turn.character
      const named = filter.names.includes(name) || filter.tags.some((tag) => tags.includes(tag))
      if (named === filter.exclude) return false
    }
    if (rule.force === "always") return true
    const { wasIn, sticks, cools } = past(entry)
    if (turn.answerCount !== undefined) {
      if (turn.answerCount < (rule.afterAnswers ?? 0)) return false
      if (turn.answerCount % (rule.everyAnswers ?? 1) !== 0) return false
    }
    if (rule.onceIn === "leave" && wasIn) return false
    if (rule.greeting !== undefined && turn.greeting !== undefined && rule.greeting !== turn.greeting) return false
    if (rule.userIcon !== undefined && turn.userIcon !== undefined && rule.userIcon !== turn.userIcon) return false
    if (count < (entry.delay ?? 0)) return false
    if (sticks) return true
    if (cools) return false
    if (entry.delayUntilRecursion && (!recursing || entry.delayUntilRecursion > level)) return false
    if (entry.constant || (rule.onceIn === "stay" && wasIn)) return true
    const has = occurs(entry)
    if (!entry.keys.some(has) || (entry.excluded ?? []).some(has)) return false
    if (!(entry.required ?? []).every((keys) => keys.some(has))) return false
    const { keys = [], logic } = entry.secondary ?? {}
    if (keys.length === 0) return true
    const found = keys.filter(has).length
    if (logic === "notAny") return found === 0
    if (logic === "notAll") return found < keys.length
    return logic === "andAll" ? found === keys.length : found > 0
  }

  for (;;) {
    const fit = byOrder.filter((entry) => !entered.includes(entry) && !out.has(entry) && isIn(entry))
    const left = new Set(fit)
    for (const group of new Set(fit.flatMap((entry) => entry.groups ?? []))) {
      const all = fit.filter((entry) => left.has(entry) && entry.groups?.includes(group))
      for (const entry of losers(all)) left.delete(entry)
      function losers(members: readonly LoreEntry[]): readonly LoreEntry[] {
        if (entered.some((entry) => entry.groups?.includes(group))) return members
        let rest = members.some((entry) => past(entry).sticks) ? members.filter((entry) => past(entry).sticks) : members
        if (rest.length > 1 && rest.some((entry) => entry.groupScoring)) {
          const best = Math.max(...rest.map(score))
          rest = rest.filter((entry) => !entry.groupScoring || score(entry) === best)
        }
        if (rest.length > 1) rest = [rest.find((entry) => entry.groupOverride) ?? drawn(rest)]
        return members.filter((entry) => !rest.includes(entry))
      }
    }
    const added: LoreEntry[] = []
    for (const entry of fit) {
      const chance = entry.probability ?? 100
      const rolls = left.has(entry) && chance < 100 && !past(entry).sticks
      if (!left.has(entry) || (rolls && turn.random() * 100 >= chance)) out.add(entry)
      else added.push(entry)
    }
    entered.push(...added)
    const speaking = added.filter((entry) => !entry.preventRecursion)
    if (book.recursive && speaking.length > 0 && steps < (book.maxRecursion ?? 10)) {
      steps++
      recursing = true
      lore.push(...speaking.map((entry) => entry.text.text))
    } else if (
      entered.length < (book.minEntries ?? 0) &&
      (book.scanDepth ?? 2) + deeper < Math.min(book.maxDepth ?? Number.POSITIVE_INFINITY, messages.length)
    ) {
      deeper++
    } else if (book.recursive && levels.length > 0 && steps < (book.maxRecursion ?? 10)) {
      steps++
      recursing = true
      level = levels.shift() ?? 0
    } else break
  }

  function score(entry: LoreEntry): number {
    const has = occurs(entry)
    const { keys = [], logic } = entry.secondary ?? {}
    const second = keys.filter(has).length
    const counts = logic === "andAny" || (logic === "andAll" && second === keys.length)
    return entry.keys.filter(has).length + (counts ? second : 0)
  }
  function drawn(members: readonly LoreEntry[]): LoreEntry {
    const weight = (entry: LoreEntry) => entry.groupWeight ?? 100
    const roll = turn.random() * members.reduce((sum, entry) => sum + weight(entry), 0)
    let passed = 0
    for (const entry of members) {
      passed += weight(entry)
      if (roll < passed) return entry
    }
    return members[0] as LoreEntry
  }
  const kept = room(entered, book, turn).toSorted(
    (a, b) => a.order - b.order || book.entries.indexOf(a) - book.entries.indexOf(b),
  )
  return kept.map(({ id }) => id)
}

/** Takes out one entry after the other until there is room. */
function room(entered: readonly LoreEntry[], book: Lorebook, { room: limits }: LoreTurn): readonly LoreEntry[] {
  if (limits === undefined) return entered
  const kind = (entry: LoreEntry) => (entry.dropFirst ? 0 : entry.constant || entry.conditions?.force === "always" ? 2 : 1)
  const worth = (entry: LoreEntry) => [kind(entry), entry.priority ?? 0, entry.order, -book.entries.indexOf(entry)]
  const left = entered.toSorted((a, b) => {
    const [one, other] = [worth(a), worth(b)]
    const at = one.findIndex((value, index) => value !== other[index])
    return at < 0 ? 0 : (other[at] ?? 0) - (one[at] ?? 0)
  })
  const size = () => left.reduce((sum, entry) => sum + limits.sizeOf(entry), 0)
  while (size() > limits.max || left.length > (limits.maxEntries ?? Number.POSITIVE_INFINITY)) left.pop()
  return left
}

function hasKey(given: string, key: LoreKey, { caseSensitive, wholeWords }: LoreEntry): boolean {
  if (typeof key !== "string") return new RegExp(key.source, key.flags).test(given)
  const [text, word] = caseSensitive ? [given, key.trim()] : [given.toLowerCase(), key.trim().toLowerCase()]
  if (word === "") return false
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const letter = /[a-z0-9]/i
    const opens = letter.test(word.at(0) ?? "") && letter.test(text[at - 1] ?? "")
    const closes = letter.test(word.at(-1) ?? "") && letter.test(text[at + word.length] ?? "")
    if (!wholeWords || (!opens && !closes)) return true
  }
  return false
}
