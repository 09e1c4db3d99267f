/** Cities whose time is asked for often, in both languages. */
const cities: Readonly<Record<string, string>> = {
  北京: "Asia/Shanghai",
  上海: "Asia/Shanghai",
  东京: "Asia/Tokyo",
  首尔: "Asia/Seoul",
  新加坡: "Asia/Singapore",
  悉尼: "Australia/Sydney",
  伦敦: "Europe/London",
  巴黎: "Europe/Paris",
  柏林: "Europe/Berlin",
  莫斯科: "Europe/Moscow",
  纽约: "America/New_York",
  洛杉矶: "America/Los_Angeles",
  beijing: "Asia/Shanghai",
  shanghai: "Asia/Shanghai",
  tokyo: "Asia/Tokyo",
  seoul: "Asia/Seoul",
  singapore: "Asia/Singapore",
  sydney: "Australia/Sydney",
  london: "Europe/London",
  paris: "Europe/Paris",
  berlin: "Europe/Berlin",
  moscow: "Europe/Moscow",
  "new york": "America/New_York",
  "los angeles": "America/Los_Angeles",
  utc: "UTC",
}

/** The IANA time zones that a text names, itself or by a city. */
export function findTimeZones(text: string): readonly string[] {
  const named = text.match(/\b[A-Z][a-z]{1,20}\/[A-Z][A-Za-z_]{1,30}\b/g) ?? []
  const lower = text.toLowerCase()
  const ofCities = Object.entries(cities).filter(([city]) => lower.includes(city))
  return [...new Set([...named, ...ofCities.map(([, zone]) => zone)])]
}
