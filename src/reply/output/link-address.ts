import domains from "./top-level-domains.json" with { type: "json" }

/** The hosts that an answer may link to: `example.com`, `example.com:8443`, `*.example.com` for those below it, `*` for all. */
export type LinkHosts = readonly string[]

/** The hosts of a policy; undefined if it leaves all links as they are. */
export function linkHosts(hosts: LinkHosts | undefined): LinkHosts | undefined {
  return hosts?.includes("*") ? undefined : hosts
}

/** The decision about an address. */
export interface LinkVerdict {
  /** The place behind the part that names the host. */
  readonly end: number
  /** The text to pass on in its place; undefined for an address that is to be removed. */
  readonly kept: string | undefined
  /** The host, or the scheme of an address without one, for a warning. */
  readonly named: string
}

/** Ends the part of an address that names its host, for every reader of addresses. U+FEFF is no space for them. */
const authorityEnd = /(?!\ufeff)[/?#\\\s<>]/g
/** Closing marks and punctuation that a text may have behind a host. */
const punctuation = /^[)\]}"'*_~.,:;!?\u2026\u3001\u3002\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f]/
const longestAuthority = 300

type AddressPlace = Readonly<{ from: number; host: number; hosts: LinkHosts; isWhole: boolean }>

/**
 * Judges the address at `from`, whose host begins at `host`, against the allowed hosts. A host is allowed only if each reader of
 * addresses finds the same one: no user name, percent sign, entity or backslash stands in it. Returns undefined while its end
 * has not come.
 */
export function judge(text: string, { from, host, hosts, isWhole }: AddressPlace): LinkVerdict | undefined {
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
  const isClear = !/[@%&\\]/.test(authority) && visible(authority) === authority && (rest === "" || punctuation.test(rest))
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
export function judgeDestination(destination: string, hosts: LinkHosts): LinkVerdict {
  const before = /^\s*<?/.exec(destination)?.[0].length ?? 0
  const scheme = /^https?:\/\//i.exec(destination.slice(before))?.[0]
  const host = before + (scheme?.length ?? 0)
  const judged = scheme === undefined ? undefined : judge(destination, { from: before, host, hosts, isWhole: true })
  if (judged?.kept === undefined || judged.kept.endsWith(" ")) return { end: 0, kept: undefined, named: namedBy(destination) }
  return { ...judged, kept: destination.slice(0, before) + judged.kept }
}

const topLevel: ReadonlySet<string> = new Set(domains.names.split(" "))
const label = String.raw`[\p{L}\p{N}\p{M}-]+`
const domain = new RegExp(String.raw`(?:${label}\.)+(${label}?)[.+-]*$`, "u")
const address4 = /^(?:\d{1,3}\.){3}\d{1,3}$/
/** Something behind a host that could carry data: a path, a query or a fragment that is more than punctuation. */
const marks = String.raw`[!$&+,./:;=?@#~\\-]`
const carried = new RegExp(String.raw`^(?::\d{1,5})?[/?#](?:${marks}{0,39}[\p{L}\p{N}_%]|${marks}{40})`, "u")
/** Characters behind a host that more of them may make such a thing. */
export const undecided: RegExp = new RegExp(String.raw`^(?::\d{0,5})?(?:[/?#]${marks}{0,39})?$`)
/** Endings of files that are countries, too. A heading or a line of a file may stand behind them, which no server gets to see. */
const fileWithMark = /^[\p{L}\p{N}\p{M}-]+\.(?:md|rs|py|sh|pl|cc)#/iu

/** The characters around a word: two before it, and as many behind it as matter. */
interface Margin {
  readonly before: string
  readonly after: string
}

/**
 * The place of an address in a word and of its host, if the characters behind it make it one: any scheme with `//`, `www.`, and a
 * domain that clients make a link and that could carry data: behind `//`, or with a top-level domain that there is, and with a path,
 * a query, a fragment, or a name before it.
 */
export function addressIn(word: string, { before, after }: Margin): { readonly from: number; readonly host: number } | undefined {
  const letter = word.search(/[a-z]/i)
  if (letter >= 0 && /^:[\\/]{2}/.test(after)) return { from: letter, host: word.length + 3 }
  if (/(?:https?|ftp|mailto|xmpp)$/i.test(word) && /^:[^\s)\]<>"'*`]/.test(after)) return { from: letter, host: word.length + 1 }
  const www = `${word}${after}`.search(/www\.[^\s.]/i)
  if (www >= 0 && www < word.length) return { from: www, host: www }
  // A name of other letters was passed on before its first dot.
  const lead = word.startsWith(".") && /[\w\u0080-\uffff-]$/.test(before) ? "x" : ""
  const found = domain.exec(lead + word)
  if (!found || !isDomain(found, { before, after })) return undefined
  const from = Math.max(0, found.index - lead.length)
  return { from, host: from }
}

function isDomain([whole, last = ""]: RegExpExecArray, { before, after }: Margin): boolean {
  const isCarrying = carried.test(after) && !fileWithMark.test(whole + after)
  if (address4.test(whole)) return isCarrying && !/^\/\d{1,2}(?![\p{L}\p{N}_%/?#])/u.test(after)
  // Words of another script may follow at once, which some clients do not count to the name.
  const names = [last, last.replace(/[^a-z].*/i, "")].map((name) => name.toLowerCase())
  const isNamed =
    /^xn--/i.test(last) || names.some((name) => topLevel.has(name)) || (before.endsWith("//") && /^\p{L}/u.test(last))
  return isNamed && (isCarrying || (!before.endsWith("@") && /\..*\.[^.+-]/u.test(whole)))
}

/** Characters that nobody sees, and that readers of addresses leave out. */
const invisible = /\p{Default_Ignorable_Code_Point}|(?!\s)\p{Cc}/gu
const entities: Readonly<Record<string, string>> = { colon: ":", sol: "/", period: ".", num: "#", quest: "?", commat: "@" }

/** A text without invisible characters. */
export const visible = (text: string): string => text.replace(invisible, "")

/** The text that a client may show for a run of characters: without invisible ones, `\` before punctuation, and entities. */
export function shownText(run: string): string {
  const read = visible(run).replace(/\\(?=[!-/:-@[-`{-~])/g, "")
  return read.replace(/&(?:#(\d{1,20})|#x([\da-f]{1,20})|([a-z]\w{0,30}));/gi, (_, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return name === undefined ? String.fromCodePoint(code <= 0x10_ffff ? code : 0xfffd) : (entities[name.toLowerCase()] ?? "")
  })
}
