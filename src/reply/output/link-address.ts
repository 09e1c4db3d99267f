/** The hosts that an answer may link to: `example.com`, `example.com:8443`, `*.example.com` for those below it, `*` for all. */
export type LinkHosts = readonly string[]

/** The decision about an address. */
export interface Judgement {
  /** The place behind the part that names the host. */
  readonly end: number
  /** The text to pass on in its place; undefined for an address that is to be removed. */
  readonly kept: string | undefined
  /** The host, or the scheme of an address without one, for a warning. */
  readonly named: string
}

/** Ends the part of an address that names its host, for every reader of addresses. */
const authorityEnd = /[/?#\\\s<>]/g
/** Closing marks and punctuation that a text may have behind a host. */
const punctuation = /^[)\]}"'*_~.,:;!?\u2026\u3001\u3002\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f]/
const longestAuthority = 300

/**
 * Judges the address at `from`, whose host begins at `host`, against the allowed hosts. A host is allowed only if each reader of
 * addresses finds the same one: no user name, percent sign, entity or backslash stands in it. Returns undefined while its end
 * has not come.
 */
export function judge(
  text: string,
  {
    from,
    host,
    hosts,
    isWhole,
  }: { readonly from: number; readonly host: number; readonly hosts: LinkHosts; readonly isWhole: boolean },
): Judgement | undefined {
  authorityEnd.lastIndex = host
  const found = authorityEnd.exec(text)?.index
  const isLong = (found ?? text.length) - host > longestAuthority
  if (found === undefined && !isWhole && !isLong) return undefined
  const end = isLong ? host + longestAuthority : (found ?? text.length)
  const authority = text.slice(host, end)
  const scheme = text.slice(from, host)
  const name = /^[\p{L}\p{N}\p{M}.:-]*/u.exec(authority)?.[0].replace(/[.:]+$/, "") ?? ""
  const rest = authority.slice(name.length)
  const isPlain = /^(?:https?:\/\/)?$/i.test(scheme) && !isLong && text.charAt(end) !== "\\"
  const isClear = !/[@%&\\]/.test(authority) && (rest === "" || punctuation.test(rest))
  if (!isPlain || !isClear || !isAllowed(`${scheme.toLowerCase() || "https://"}${name}`, hosts))
    return { end, kept: undefined, named: namedBy(scheme + authority) }
  // A space ends the host for every reader, unless nothing follows that one could take for more of it.
  const isEnd = [...rest].every((character) => punctuation.test(character)) && !/[/?#<]/.test(text.charAt(end))
  if (rest === "" || isEnd) return { end, kept: text.slice(from, end), named: name }
  const nameEnd = host + name.length
  return { end: nameEnd, kept: `${text.slice(from, nameEnd)} `, named: name }
}

/** True if the host of an address is one of those. A port counts unless it is the one of its scheme. */
function isAllowed(address: string, hosts: LinkHosts): boolean {
  const host = hostOf(address)
  const scheme = address.slice(0, address.indexOf("//"))
  return hosts.some((entry) => {
    const own = hostOf(`${scheme}//${entry.replace(/^\*\./, "")}`)
    return host !== "" && own !== "" && (entry.startsWith("*.") ? host.endsWith(`.${own}`) : host === own)
  })
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : ""
}

/** The words of a warning for an address: its host, or else its scheme. The rest may hold what must not leave. */
export function namedBy(address: string): string {
  const [, scheme = "", host = ""] = /^\s*<?(?:([a-z][a-z0-9+.-]*):)?(?:[\\/]{2}([^\s/?#\\<>]{1,60}))?/i.exec(address) ?? []
  return host || (scheme ? `${scheme}:` : "an address without a host")
}

/** Judges a whole address that stands in a link, perhaps with a title behind it. */
export function judgeDestination(destination: string, hosts: LinkHosts): Judgement {
  const before = /^\s*<?/.exec(destination)?.[0].length ?? 0
  const scheme = /^https?:\/\//i.exec(destination.slice(before))?.[0]
  const host = before + (scheme?.length ?? 0)
  const judged = scheme === undefined ? undefined : judge(destination, { from: before, host, hosts, isWhole: true })
  if (judged?.kept === undefined || judged.kept.endsWith(" ")) return { end: 0, kept: undefined, named: namedBy(destination) }
  return { ...judged, kept: destination.slice(0, before) + judged.kept }
}

const country =
  "a[cdefgilmnoqrstuwxz]|b[abdefghijmnorstvwyz]|c[acdfghiklmnoruvwxyz]|d[ejkmoz]|e[cegrstu]|f[ijkmor]|g[abdefghilmnpqrstuwy]|h[kmnrtu]|i[delmnoqrst]|j[emop]|k[eghimnprwyz]|l[abcikrstuvy]|m[acdeghklmnopqrstuvwxyz]|n[acefgilopruz]|om|p[aefghklmnrstwy]|qa|r[eosuw]|s[abcdeghijklmnorstuvxyz]|t[cdfghjklmnortvwz]|u[agksyz]|v[aceginu]|w[fs]|y[et]|z[amw]"
const generic =
  "com|net|org|info|biz|edu|gov|app|dev|xyz|top|site|online|shop|store|cloud|link|live|club|page|tech|space|website|fun|icu|pro|mobi|xn--[a-z0-9-]+"
const domain = new RegExp(String.raw`(?:[a-z0-9-]*\.)+(?:${country}|${generic})[.+-]*$`, "i")
const longDomain = /(?:[a-z0-9-]+\.){2,}(?:com|net|org|xyz|online|website|icu)[.+-]*$/i

/**
 * The place of an address in a word and of its host, if the characters behind it make it one: any scheme with `//`, `www.`, and a
 * domain that could carry data: with a path or a query, or with a name before it. `before` is the character before the word.
 */
export function addressIn(
  word: string,
  { before, after }: { readonly before: string; readonly after: string },
): { readonly from: number; readonly host: number } | undefined {
  const letter = word.search(/[a-z]/i)
  if (letter >= 0 && /^:[\\/]{2}/.test(after)) return { from: letter, host: word.length + 3 }
  if (/(?:https?|ftp|mailto|xmpp)$/i.test(word) && /^:[^\s)\]<>"'*`]/.test(after)) return { from: letter, host: word.length + 1 }
  const www = `${word}${after}`.search(/www\.[^\s.]/i)
  if (www >= 0 && www < word.length) return { from: www, host: www }
  const found = /^[/?][\w%]/.test(after)
    ? domain.exec(word)
    : before === "@" || !word.includes(".")
      ? undefined
      : longDomain.exec(word)
  if (!found || (found[0].startsWith(".") && before <= "\u007f")) return undefined
  return { from: found.index, host: found.index }
}
