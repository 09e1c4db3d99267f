import { lazyPattern } from "../core/lazy-pattern.ts"

/** What {@link sanitise} looks for. A `surrogate` without its other half is replaced by U+FFFD, the other kinds are removed. */
export type UnsafeKind = "tags" | "bidi" | "control" | "surrogate"

/** A text fit to send, and what was taken out of it. */
export interface SanitisedText {
  readonly text: string
  /** Characters (code points) removed or replaced. */
  readonly removed: number
  readonly kinds: readonly UnsafeKind[]
}

const unsafeSource = String.raw`[\u{e0000}-\u{e007f}\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\p{Cs}[\p{Cc}--[\t\n\v\f\r\u{85}]]]`
const unsafe = lazyPattern(unsafeSource, "v")

/** Any unit that may be or begin something unsafe: most texts have none, and finding that out takes a fifth of the time. */
const doubtful = lazyPattern(
  String.raw`[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]`,
  "",
)

/** A flag of a part of a country: the one place where tag characters are drawn. */
const flagOrUnsafe = lazyPattern(
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|${unsafeSource}`,
  "gv",
)

/**
 * Removes what hides from the eye or acts on a terminal: tag characters outside flags, bidi controls, C0 and C1 controls
 * but tab and line breaks; repairs lone surrogates, so that a request is valid UTF-8. Joiners and variation selectors stay.
 * Doing it twice changes nothing more.
 */
export function sanitise(text: string): SanitisedText {
  if (!doubtful().test(text) || !unsafe().test(text)) return { text, removed: 0, kinds: [] }
  const kinds = new Set<UnsafeKind>()
  let removed = 0
  const clean = text.replace(flagOrUnsafe(), (found) => {
    const kind = kindOf(found)
    if (kind === undefined) return found
    removed++
    kinds.add(kind)
    return kind === "surrogate" ? "\u{fffd}" : ""
  })
  return { text: removed === 0 ? text : clean, removed, kinds: [...kinds] }
}

function kindOf(found: string): UnsafeKind | undefined {
  const code = found.codePointAt(0) ?? 0
  if (code === 0x1f3f4) return undefined
  if (code >= 0xe0000) return "tags"
  if (code < 0xa0) return "control"
  return code >= 0xd800 ? "surrogate" : "bidi"
}
