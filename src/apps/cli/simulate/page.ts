import type { MeasuredDay, MeasuredLife } from "./measure.ts"
import { failuresOf, nameOf, printLives } from "./print-life.ts"
import type { Script } from "./read-script.ts"

const [width, height] = [640, 140]
const colours = ["#1d75b3", "#c2410c", "#15803d", "#7e22ce"] as const

/** Lives of a script as one page, which needs no network: curves, the tables as text, and what failed. */
export function lifePage(lives: readonly MeasuredLife[], script: Script): string {
  const failed = failuresOf(lives, script)
  const subjects = lives[0]?.subjects ?? []
  const curves = [
    curve("Largest prompt of a day, in tokens", lives, ({ sums }) => (sums.turns > 0 ? sums.largestPrompt : undefined)),
    curve("Tokens of background work", lives, ({ sums }) => sums.backgroundTokens),
    curve("Memories", lives, ({ memories }) => memories),
    curve("Events", lives, ({ events }) => events),
    ...subjects.map((subject, at) =>
      curve(`Parts of the prompt that hold ${nameOf(subject)}`, lives, ({ found }) => found[at]?.length ?? 0),
    ),
  ]
  const legend = lives.map(({ name }, at) => `<b style="color:${colours[at % colours.length]}">${escaped(name)}</b>`).join(" · ")
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escaped(script.file)}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}pre{overflow:auto;background:#f4f4f5;padding:1rem}figure{margin:1rem 0}svg{width:100%;border:1px solid #ddd}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}pre{background:#222}}</style>
<h1>${escaped(script.file)}</h1>
<p>${script.days} days · ${legend}</p>
<h2>${failed.length === 0 ? "Every expectation holds" : `${failed.length} failed`}</h2>
${failed.length === 0 ? "" : `<pre>${escaped(failed.join("\n\n"))}</pre>`}
${curves.join("\n")}
<h2>Numbers</h2>
<pre>${escaped(printLives(lives))}</pre>
</html>
`
}

/** A curve over the days, a line for each life. Days without a value are left out. */
function curve(title: string, lives: readonly MeasuredLife[], numberOf: (day: MeasuredDay) => number | undefined): string {
  const points = lives.map(({ measured }) =>
    measured.flatMap((day) => {
      const value = numberOf(day)
      return value === undefined ? [] : [{ day: day.day, value }]
    }),
  )
  const all = points.flat()
  const most = Math.max(1, ...all.map(({ value }) => value))
  const last = Math.max(2, ...all.map(({ day }) => day))
  const place = ({ day, value }: { readonly day: number; readonly value: number }) =>
    `${Math.round(((day - 1) / (last - 1)) * width)},${Math.round(height - (value / most) * height)}`
  const lines = points.map(
    (own, at) =>
      `<polyline fill="none" stroke="${colours[at % colours.length]}" stroke-width="2" points="${own.map(place).join(" ")}"/>`,
  )
  return `<figure><figcaption>${escaped(title)} (at most ${most})</figcaption><svg viewBox="-4 -4 ${width + 8} ${height + 8}" role="img">${lines.join("")}</svg></figure>`
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}
