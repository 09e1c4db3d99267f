import { readFileSync } from "node:fs"
import { join } from "node:path"
import { messageOf } from "../../../core/errors.ts"
import { packageFolder } from "../../../node/shipped-files.ts"
import { HttpProblem } from "../http-problem.ts"

/** A file that `npm run page` builds. The build of the package puts the texts themselves in the place of this file. */
export function builtFile(name: "page.js" | "page.css"): string {
  try {
    return readFileSync(join(packageFolder, "dist/inspector", name), "utf8")
  } catch (error) {
    throw new HttpProblem(503, `The page was not built; expected it from \`npm run page\`: ${messageOf(error)}`)
  }
}
