import type { Reader } from "../../core/reader.ts"
import {
  addressIn,
  judge,
  judgeDestination,
  type LinkHosts,
  type LinkVerdict,
  linkHosts,
  namedBy,
  shownText,
  undecided,
  visible,
} from "./link-address.ts"
import { addressEnd, bracketEnd, isAllowedTag, keptEnd, mayLoad, tagEnd, unfinished } from "./link-forms.ts"
import { createTextStage, type OutputPart, type OutputReader, PartList } from "./output-part.ts"

/**
 * Removes links and images whose host is not among `hosts` from an answer (T47). A link leaves its words, an image its
 * description, an address alone an ellipsis; a `warning` names the hosts. It looks for addresses and does not parse Markdown,
 * because renderers differ in what they follow. Holds back at most one link.
 */
export function createLinkReader(hosts: LinkHosts): OutputReader {
  return createTextStage<LinkReader>((before, part) => new LinkReader(hosts, part?.type === "bubble-end" ? "" : before?.last))
}

/** A whole text without the links and images that {@link createLinkReader} removes. */
export function withoutLinks(text: string, policy: LinkHosts | undefined): string {
  const hosts = linkHosts(policy)
  if (!hosts) return text
  const reader = new LinkReader(hosts)
  return joined([...reader.push(text), ...reader.end()])
}

const joined = (parts: readonly OutputPart[]): string => parts.map((part) => (part.type === "text" ? part.delta : "")).join("")

/**
 * Longer words are read from their last characters on. Longer labels, tags and destinations are none. A longer text is read in pieces,
 * because removing a link copies what is held.
 */
const longest = { word: 300, label: 600, form: 1_000, behind: 48, piece: 4_096 }

/** The next character at which a link may begin, or a word that may begin an address. */
const next = /[[!\]<&\\]|[a-z0-9+-]+(?:\.[\p{L}\p{N}\p{M}+-]*)*|(?:\.[\p{L}\p{N}\p{M}+-]*)+/giu
/** The beginning of characters that a client may show as others, or not at all. */
const disguise = /^(?::\d{1,5})?[&\\\p{Default_Ignorable_Code_Point}]/u
/** Words that follow such a character make no address and no link with what stands before. */
const apart = /[\s(*_>~"'\u0080-\uffff]$/
/** The beginning of an address in the definition of a link, also one that is written with escapes. */
const defined = /^[<\\/&]|^[a-z][a-z0-9+.-]*(?::\S|&|\\)/i

/** The place after the characters that were read, or `hold` if more text is needed first. */
type Step = number | "hold"

/** Reads the links in one stretch of text. */
class LinkReader implements Reader<string, OutputPart> {
  /** The last two characters that were passed on and can be seen. */
  last: string
  readonly #hosts: LinkHosts
  readonly #parts = new PartList()
  readonly #removed = new Map<string, number>()
  #text = ""
  #isWhole = false
  /** True where something was removed, so that the words before it must not meet those behind it. */
  #isParted = true
  /** The reader stands in the rest of an address that is passed on, or removed. */
  #address: "none" | "kept" | "removed" = "none"
  /** Tags `<a>` that were removed and are still open. */
  #anchors = 0

  constructor(hosts: LinkHosts, last = "") {
    this.#hosts = hosts
    this.last = last
  }

  push(chunk: string): OutputPart[] {
    for (let at = 0; at < chunk.length; at += longest.piece) this.#read(chunk.slice(at, at + longest.piece))
    return this.#parts.take()
  }

  end(): OutputPart[] {
    this.#isWhole = true
    this.#read("")
    if (this.#removed.size > 0) {
      const hosts = [...this.#removed].slice(0, 10).map(([host, count]) => (count > 1 ? `${host} (${count} times)` : host))
      const message = `removed links or images, because [output] links does not name their hosts: ${hosts.join(", ")}.`
      this.#parts.add({ type: "warning", kind: "links", message })
    }
    return this.#parts.take()
  }

  #read(chunk: string): void {
    this.#text += chunk
    let at = 0
    while (at < this.#text.length) {
      const step = this.#address === "none" ? this.#step(at) : this.#inAddress(at)
      if (step === "hold") break
      at = step
    }
    this.#text = this.#text.slice(at)
  }

  #step(at: number): Step {
    next.lastIndex = at
    const found = next.exec(this.#text)
    const place = found?.index ?? this.#text.length
    if (place > at) return this.#pass(at, place)
    const [word = ""] = found ?? []
    if (word === "[") return this.#label(at, at)
    if (word === "]") return this.#afterLabel(at)
    if (word === "<") return this.#angle(at)
    if (word === "&" || word === "\\") return this.#disguised(at) ?? this.#pass(at, at + 1)
    if (word !== "!") return this.#word(at, word)
    if (this.#endsAt(at + 1)) return "hold"
    return this.#text.charAt(at + 1) === "[" ? this.#label(at, at + 1) : this.#pass(at, at + 1)
  }

  /** Reads a word, which may begin an address of its own. */
  #word(at: number, word: string): Step {
    const end = at + word.length
    if (word.length > longest.word) return this.#pass(at, end - longest.word)
    const behind = this.#text.slice(end, end + longest.behind)
    const after = visible(behind)
    if (this.#endsAt(end) || (/^:/.test(after) && this.#endsAt(end + 2))) return "hold"
    if (undecided.test(after) && this.#endsAt(end + behind.length)) return "hold"
    const shown = disguise.test(behind) ? this.#disguised(at) : undefined
    if (shown !== undefined) return shown
    const address = addressIn(word, { before: this.last, after })
    if (!address) return this.#pass(at, end)
    const [from, host] = [at + address.from, at + address.host]
    const judged = judge(this.#text, { from, host, hosts: this.#hosts, isWhole: this.#isWhole })
    if (!judged) return "hold"
    this.#pass(at, from)
    const place = this.#take(judged)
    // Behind a host without a scheme many readers see no address, so another one may begin at once.
    if (from === host && judged.kept !== undefined) this.#address = "none"
    return place
  }

  /** Reads a run of characters that a client may show as others. Undefined if it shows them as they are. */
  #disguised(at: number): Step | undefined {
    const near = this.#text.slice(at, at + longest.word)
    const length = near.search(addressEnd)
    const isLong = length < 0 && near.length === longest.word
    if (length < 0 && !isLong && !this.#isWhole) return "hold"
    const run = length < 0 ? near : near.slice(0, length)
    const shown = shownText(run)
    if (shown === run) return undefined
    const reader = new LinkReader([], this.last)
    reader.#isParted = false
    const isClean = joined([...reader.push(shown), ...reader.end()]) === shown
    // A long run of characters that nobody sees hides what is between them.
    if (isClean && (!isLong || shown.length > run.length * 0.4))
      return this.#pass(at, at + (isLong ? longest.word / 2 : run.length))
    const [named = "invisible characters"] = reader.#removed.keys()
    return this.#take({ end: at + run.length, kept: undefined, named })
  }

  /** Passes an allowed address on, or removes it. Its rest follows. */
  #take({ end, kept, named }: LinkVerdict): number {
    if (kept === undefined) this.#tell(named)
    this.#say(kept ?? "…")
    if (!kept?.endsWith(" ")) this.#address = kept === undefined ? "removed" : "kept"
    return end
  }

  #inAddress(at: number): Step {
    const ends = this.#address === "kept" ? keptEnd : addressEnd
    ends.lastIndex = at
    const found = ends.exec(this.#text)?.index
    const mayGoOn = found === undefined && ends === keptEnd && !this.#isWhole
    const held = mayGoOn ? (unfinished.exec(this.#text.slice(-34))?.[0].length ?? 0) : 0
    const end = found ?? Math.max(at, this.#text.length - held)
    if (ends === keptEnd) this.#pass(at, end)
    if (found !== undefined) this.#address = "none"
    return held > 0 && end === at ? "hold" : end
  }

  /** Reads `[words](destination)` from its first bracket, `open`, or from the `!` before it. */
  #label(at: number, open: number): Step {
    const end = bracketEnd(this.#text, open, "[]", { longest: longest.label, isWhole: this.#isWhole })
    if (end === "hold" || (end !== "none" && this.#endsAt(end + 1))) return "hold"
    if (end === "none" || this.#text.charAt(end + 1) !== "(") return this.#pass(at, open + 1)
    const close = bracketEnd(this.#text, end + 1, "()", { longest: longest.form, isWhole: this.#isWhole })
    if (close === "hold") return close
    if (close === "none" || this.#isHarmless(end + 1, close)) return this.#pass(at, open + 1)
    this.#tell(namedBy(this.#text.slice(end + 2, close)))
    this.#isParted = true
    // The words are read with the text that follows them, because the two may make another link.
    this.#text = (this.#text.slice(open + 1, end) || "…") + this.#text.slice(close + 1)
    return 0
  }

  /** Reads what follows the words of a link: a destination, or the address of a definition. */
  #afterLabel(at: number): Step {
    if (this.#endsAt(at + 1)) return "hold"
    if (this.#text.charAt(at + 1) === ":") return this.#definition(at)
    if (this.#text.charAt(at + 1) !== "(") return this.#pass(at, at + 1)
    const close = bracketEnd(this.#text, at + 1, "()", { longest: longest.form, isWhole: this.#isWhole })
    if (close === "hold") return close
    if (close !== "none" && this.#isHarmless(at + 1, close)) {
      const { end, kept } = judgeDestination(this.#text.slice(at + 2, close), this.#hosts)
      this.#say(`](${kept ?? ""}`)
      if (kept !== undefined) this.#address = "kept"
      return at + 2 + end
    }
    this.#say("] ")
    if (close === "none") return this.#pass(at + 1, at + 2)
    this.#tell(namedBy(this.#text.slice(at + 2, close)))
    return close + 1
  }

  #isHarmless(open: number, close: number): boolean {
    const destination = this.#text.slice(open + 1, close)
    return destination.trim() === "" || judgeDestination(destination, this.#hosts).kept !== undefined
  }

  /** Reads `]: address`, which gives the address of other places. */
  #definition(at: number): Step {
    const [, blank = "", token = ""] = /^([ \t]{0,99}\r?\n?[ \t]{0,99})(\S{0,400})/.exec(this.#text.slice(at + 2)) ?? []
    const from = at + 2 + blank.length
    if (token.length < 400 && this.#endsAt(from + token.length)) return "hold"
    if (!defined.test(token)) return this.#pass(at, at + 2)
    const judged = judgeDestination(token, this.#hosts)
    this.#say(judged.kept === undefined ? "] " : this.#text.slice(at, from))
    return this.#take({ ...judged, end: from + (judged.end || (token.startsWith("<") ? 1 : 0)) })
  }

  /** Reads an address in angle brackets, or a tag of HTML. */
  #angle(at: number): Step {
    const form = this.#text.slice(at, at + longest.form)
    const closing = this.#anchors > 0 ? /^<\/a\s{0,9}>/i.exec(form) : undefined
    if (closing) {
      this.#anchors--
      this.#isParted = true
      return at + closing[0].length
    }
    if (this.#anchors > 0 && /^<(?:\/(?:a\s{0,9})?)?$/i.test(form) && !this.#isWhole) return "hold"
    if (this.#endsAt(at + 1)) return "hold"
    const [name] = /^<[a-z][a-z0-9+.-]*/i.exec(form) ?? []
    if (name === undefined) return this.#pass(at, at + 1)
    if (form.length < longest.form && this.#endsAt(at + name.length)) return "hold"
    return form.charAt(name.length) === ":" ? this.#autolink(at, form) : this.#tag(at, form)
  }

  #autolink(at: number, form: string): Step {
    const [address = ""] = /^[^\s<>]*/.exec(form.slice(1)) ?? []
    const end = at + 1 + address.length
    if (form.length < longest.form && this.#endsAt(end)) return "hold"
    // With anything else behind it, it is a tag for readers of HTML.
    if (this.#text.charAt(end) !== ">") return this.#tag(at, form)
    const judged = judgeDestination(address, this.#hosts)
    if (judged.kept !== undefined) return this.#pass(at, at + 1)
    this.#tell(judged.named)
    this.#say("…")
    return end + 1
  }

  #tag(at: number, form: string): Step {
    const end = tagEnd(this.#text, at, { longest: longest.form, isWhole: this.#isWhole })
    if (end === "hold") return end
    const tag = end === "none" ? form : this.#text.slice(at, end)
    if (!mayLoad(tag) && (end !== "none" || form.length < longest.form)) {
      // A link in the tag could take its end along, and what follows would stand in the tag.
      this.#say(end !== "none" && /[<[\]]/.test(tag.slice(1)) ? "< " : "<")
      return at + 1
    }
    // To a client that shows tags as text, its words are text like any other.
    if (end !== "none" && isAllowedTag(tag, this.#hosts) && withoutLinks(tag.slice(1), this.#hosts) === tag.slice(1))
      return this.#pass(at, end)
    const [, address = ""] = /(?:href|src)\s*=\s*["']?([^\s"'>]*)/i.exec(tag) ?? []
    this.#tell(address === "" ? "a tag of HTML" : namedBy(address))
    this.#isParted = true
    if (/^<a[\s/]/i.test(tag)) this.#anchors++
    // A tag without an end loses only its first character, which makes it none.
    return end === "none" ? at + 1 : end
  }

  /** True if the text that is there ends before `place`, and may go on. */
  #endsAt(place: number): boolean {
    return !this.#isWhole && place >= this.#text.length
  }

  #pass(from: number, to: number): number {
    this.#say(this.#text.slice(from, to))
    return to
  }

  #say(words: string): void {
    if (words === "") return
    if (this.#isParted && this.last !== "" && !apart.test(this.last) && !/^\s/.test(words)) this.#parts.say(" ")
    this.#isParted = false
    this.#parts.say(words)
    this.last = (this.last + visible(words.slice(-64))).slice(-2)
  }

  #tell(host: string): void {
    this.#removed.set(host, (this.#removed.get(host) ?? 0) + 1)
  }
}
