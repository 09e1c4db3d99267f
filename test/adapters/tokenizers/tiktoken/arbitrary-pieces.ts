import fc from "fast-check"

/** Fragments that the patterns distinguish, and similar ones: every class in and beyond the BMP, contractions, line ends. */
const fragments: readonly string[] = [
  ..."aAzZéÉßſǅʰªªKkſı",
  ..."中的你あカ한ก",
  "𝐀",
  "𐐀",
  "𐐨",
  "𠀀",
  "\u{10000}",
  "\u0301",
  "\u0903",
  "\u{1e8d0}",
  ..."0179٣½Ⅷ²",
  "𝟘",
  ..."'’`",
  ..."sStTmMdD",
  ...["re", "RE", "ve", "ll", "lL", "'s", "'S", "'ſ", "'re", "'Ve", "'LL", "'t", "n't"],
  ..." \t\n\r\u00a0\u3000\u2028\u0085\v\f",
  "\r\n",
  "   ",
  ..."\ufeff\u200b\u200d\u00ad\u180e",
  ..."/!.,-_()<>|、。——",
  ...["😀", "👩‍👩‍👧", "🇨🇳", "\u{e0061}", "\u{10ffff}", "\ufffd", "\0"],
  ...["<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<|im_start|>"],
  ...["hello", " world", "Hello World", "我觉得", "北京今天晴", "TODO", "camelCase", "HTTPServer", "\n\n", "```ts\n"],
]

/** Texts for which an alternative of a pattern backtracks or looks ahead. */
export const trickyTexts: readonly string[] = [
  ...[
    "中UUU",
    "a\u{10000}\u{10001}b \u{10000}1\u{103ff}\u{10400}.\u{10ffff}\u{e000}",
    "中UUUa",
    "中U中U1",
    "\u0301UU",
    "UU\u0301U",
    "!\u0301U",
    "ʰA",
    "Aʰb",
    "ǅa",
    "aB中C",
    "HTTPServer",
    "\u0301",
    "\u0301\u0301U",
  ],
  ...["don't", "DON'T", "don'ſ", "中's", "UU'll", "'s's", "don'tt", "''s", " 's", "don'RE", "don'r", "1's", "'", "a'"],
  ...[
    "a   b",
    "a  1",
    "a \n  b",
    "\n\n b",
    " \r\n \t",
    "   ",
    "\t\tx",
    "\u00a0\u00a0x",
    "\u3000中",
    "\u0085a",
    "\ufeffa",
    " !",
    "  !",
    " \u0301",
  ],
  ...[
    "1234567",
    " 123",
    "１２３４",
    "Ⅷ½²",
    "𝟘𝟙𝟚𝟛",
    "!!//\n\n/",
    "a/\n",
    "!\r\n\r\nb",
    "-----\n-----",
    "。\n\n中",
    "😀\n/",
    "//",
    "/\n/a",
  ],
  ...["𐐀𐐨", "𠀀𐐀", "\u{1e8d0}", "<|endoftext|>", "<|fim_prefix|>x"],
]

/** Well-formed text of fragments, some of them in runs. */
export function piecesOfText(maxLength = 12): fc.Arbitrary<string> {
  const run = fc.tuple(
    fc.constantFrom(...fragments),
    fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 9 })),
  )
  return fc
    .array(
      run.map(([fragment, times]) => fragment.repeat(times)),
      { maxLength },
    )
    .map((parts) => parts.join(""))
}

/** Well-formed text of any kind. */
export function anyText(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: piecesOfText() },
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
  )
}
