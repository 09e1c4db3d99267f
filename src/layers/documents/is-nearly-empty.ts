import { countCodePoints } from "./code-points.ts"

/** True when fewer than `characters` are left without HTML comments, `# - * _` and white space (D8). */
export function isNearlyEmpty(text: string, characters: number): boolean {
  return countCodePoints(withoutComments(text).replace(/[\s#*_-]+/g, "")) < characters
}

/** A comment that is never closed is text. By hand: a pattern would look for each opening's end through all the rest. */
function withoutComments(text: string): string {
  let kept = ""
  let at = 0
  for (let open = text.indexOf("<!--"); open >= 0; open = text.indexOf("<!--", at)) {
    const close = text.indexOf("-->", open + 4)
    if (close < 0) break
    kept += text.slice(at, open)
    at = close + 3
  }
  return kept + text.slice(at)
}
