const english: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  couple: 2,
  "a couple of": 2,
  "a couple": 2,
  "couple of": 2,
  three: 3,
  few: 3,
  "a few": 3,
  several: 4,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
}

/** A count in English words or figures. */
export const countPattern =
  "(?:\\d{1,4}|a couple(?: of)?|couple of|a few|few|several|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"

export const readCount = (text: string): number => english[text] ?? Number(text)

const digits = "零一二三四五六七八九"

/** Chinese figures up to 99, digit by digit for years, or Arabic ones; `几` and `数` are about three. */
export const chineseCountPattern = "(?:\\d{1,4}|[零〇一二两三四五六七八九十]{1,4}|几|数)"

export function readChineseCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  if (text === "几" || text === "数") return 3
  const plain = text.replaceAll("两", "二").replaceAll("〇", "零")
  const ten = plain.indexOf("十")
  if (ten < 0) return Number(Array.from(plain, (digit) => digits.indexOf(digit)).join(""))
  const tens = ten === 0 ? 1 : digits.indexOf(plain.charAt(ten - 1))
  return tens * 10 + Math.max(0, digits.indexOf(plain.charAt(ten + 1) || "零"))
}
