import { builtFile } from "./built-page.ts"
import type { TurnRecord } from "./turn-record.ts"

/** The page itself. Its script and style are files of their own, so that the content security policy can refuse everything else. */
const page = document('<link rel="stylesheet" href="page.css">\n<script type="module" src="page.js"></script>', "")

/** A file of the page: its media type and text. Throws an `HttpProblem` if the page was not built. */
export function pageFileOf(name: string): readonly [type: string, text: string] {
  if (name === "") return ["text/html", page]
  return name === "page.js" ? ["text/javascript", builtFile(name)] : ["text/css", builtFile("page.css")]
}

/** The facts about an agent that its page shows. */
export interface PageInfo {
  readonly agent: string
  readonly colour: string | undefined
  readonly profile: string
  readonly locale: string
}

/**
 * A turn as one HTML file that needs nothing else: the page with its data. Its policy lets no script run but the page's own, and nothing
 * be loaded. `file` returns the text of a file of the page.
 */
export async function htmlOf(record: TurnRecord, info: PageInfo, file = builtFile): Promise<string> {
  // A script ends at this text, wherever it stands; in a string of JavaScript the backslash changes nothing.
  const script = file("page.js").replaceAll("</script", "<\\/script")
  const style = file("page.css")
  const policy = `default-src 'none'; script-src '${await hashOf(script)}'; style-src '${await hashOf(style)}'; img-src data:; base-uri 'none'; form-action 'none'`
  const data = JSON.stringify({ info, record }).replaceAll("<", "\\u003c")
  return document(
    `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`,
    `<script type="application/json" id="record">${data}</script>\n<script type="module">${script}</script>\n`,
  )
}

function document(head: string, tail: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}
<meta name="viewport" content="width=device-width">
<title>promptstrata</title>
<link rel="icon" href="data:,">
</head>
<body><div id="app"></div>
${tail}</body>
</html>
`
}

async function hashOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(bytes)))}`
}
