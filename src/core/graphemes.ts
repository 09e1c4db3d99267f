let segmenter: Intl.Segmenter | undefined

/** A text's graphemes. The segmenter is made with the first call: its data takes longer to load than all of this library. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })
  return segmenter.segment(text)
}
