import fc from "fast-check"

/** What breaks encoders: breaks of every kind, markers and their look-alikes, escapes, fences, invisible and half characters. */
const pieces = [
  ..."\n\r\u2028\u2029\u0085\v\f\t \\`~#-*[]()\"',:：，＼｀～＃—\u200b\u00ad\ufeff\u202e\u2060\u{e0041}\u0301\ufe0f\u0000\u001b",
  "\r\n",
  "---",
  "ー--",
  "−−−",
  "```",
  "~~~~",
  "## ",
  "**系统设定**",
  "[Memory Context]",
  "［memory context］",
  "[/memory context]",
  "［／Memory\u200b context］",
  "[\\/memory context]",
  "</prestart>",
  '<prestart keep="true">',
  "\\---",
  "\ud83d",
  "\ude00",
  "😀",
  "👨‍👩‍👧",
  "true",
  "17",
  "主人",
  "é",
]

/** Any JavaScript string: every UTF-16 unit, lone surrogates too, mixed with what is known to hurt. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 16 }).map((parts) => parts.join("")),
  fc.array(fc.nat(0xffff), { maxLength: 24 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: "binary" }),
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 3 })), { maxLength: 12 })
    .map((parts) => parts.join("")),
)
