import { lazyPattern } from "../core/lazy-pattern.ts"

/** Characters that hide from the eye or act on a terminal: a run of them, and what they are. */
export interface HiddenRun {
  readonly index: number
  readonly length: number
  readonly what: string
  /** True where they can go without changing what a person reads. */
  readonly isIdle: boolean
  /** True for what can carry a message that only a model reads. */
  readonly isSuspect: boolean
}

/** A flag of a part of a country, the one place where tag characters are drawn, stands first so that it is passed over whole. */
const flagOrHidden = lazyPattern(
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|[\u{e0000}-\u{e007f}]+|[\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]+|[\u{ad}\u{200b}\u{2060}\u{180e}\u{feff}]+|[[\p{Cc}]--[\t\n\r]]+`,
  "gv",
)

const rightToLeft = lazyPattern(
  String.raw`[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]`,
  "u",
)

/** The hidden characters of a text; a byte order mark at its very beginning is none. */
export function hiddenRuns(text: string): HiddenRun[] {
  const isMixed = rightToLeft().test(text)
  const start = text.startsWith("\uFEFF") ? 1 : 0
  return [...text.slice(start).matchAll(flagOrHidden())].flatMap(({ 0: run, index }) => {
    const code = run.codePointAt(0) ?? 0
    return code === 0x1f3f4 ? [] : [{ index: start + index, length: run.length, ...describe(code, isMixed) }]
  })
}

function describe(code: number, isMixed: boolean): Pick<HiddenRun, "what" | "isIdle" | "isSuspect"> {
  if (code >= 0xe0000) return { what: "tag characters, which only a model reads", isIdle: true, isSuspect: true }
  if (code === 0xad || code === 0x200b || code === 0x2060 || code === 0x180e || code === 0xfeff)
    return { what: "characters of no width", isIdle: true, isSuspect: false }
  if (code < 0xa0) return { what: "control characters", isIdle: false, isSuspect: true }
  // In right-to-left text they order the line; elsewhere they only make it read otherwise than it is.
  return { what: "characters that turn the direction of writing", isIdle: !isMixed, isSuspect: !isMixed }
}
