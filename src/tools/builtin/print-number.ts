const significantDigits = 14

/**
 * A finite number as people write it: whole numbers exactly, others to 14 significant digits, so that `0.1 + 0.2` is `0.3`;
 * beyond exact whole numbers in the form `1.2e+25`, which shows that digits are missing.
 */
export function printNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  if (Math.abs(value) < Number.MAX_SAFE_INTEGER) return String(Number(value.toPrecision(significantDigits)))
  const [mantissa = "", exponent = ""] = value.toExponential(significantDigits - 1).split("e")
  return `${Number(mantissa)}e${exponent}`
}
