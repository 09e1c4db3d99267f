import { readFileSync } from "node:fs"
import { messageOf } from "../../core/errors.ts"
import { HttpProblem } from "../http-problem.ts"

/** The page itself. Its script and style are files of their own, so that the content security policy can refuse everything else. */
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>promptstrata</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
</head>
<body><div id="app"></div></body>
</html>
`

/** A file of the page: its media type and text. Throws {@link HttpProblem} if the page was not built. */
export function readPageFile(name: string): readonly [type: string, text: string] {
  if (name === "") return ["text/html", html]
  return name === "page.js" ? ["text/javascript", builtFile(name)] : ["text/css", builtFile(name)]
}

/** A file that `npm run page` builds. The build of the package puts its text in the place of this function. */
export function builtFile(name: string): string {
  try {
    return readFileSync(new URL(`../../../dist/inspector/${name}`, import.meta.url), "utf8")
  } catch (error) {
    throw new HttpProblem(503, `The page was not built; expected it from \`npm run page\`: ${messageOf(error)}`)
  }
}
