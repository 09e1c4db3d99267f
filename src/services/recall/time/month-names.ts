const months = [
  "jan(?:uary)?",
  "feb(?:ruary)?",
  "mar(?:ch)?",
  "apr(?:il)?",
  "may",
  "june?",
  "july?",
  "aug(?:ust)?",
  "sept?(?:ember)?",
  "oct(?:ober)?",
  "nov(?:ember)?",
  "dec(?:ember)?",
]
const weekdays = [
  "sun(?:day)?",
  "mon(?:day)?",
  "tue(?:s(?:day)?)?",
  "wed(?:nesday)?",
  "thu(?:r(?:s(?:day)?)?)?",
  "fri(?:day)?",
  "sat(?:urday)?",
]

/** A month's English name or its short form. */
export const monthPattern = `(?:${months.join("|")})`
export const weekdayPattern = `(?:${weekdays.join("|")})`

const first3 = (names: readonly string[]) => names.map((name) => name.slice(0, 3))

/** 1 to 12 for a name that {@link monthPattern} found. */
export const monthOf = (name: string): number => first3(months).indexOf(name.slice(0, 3)) + 1

/** 0 for Sunday, for a name that {@link weekdayPattern} found. */
export const weekdayOf = (name: string): number => first3(weekdays).indexOf(name.slice(0, 3))
