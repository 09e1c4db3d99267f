import { randomUUID } from "node:crypto"
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Puts packages where Koishi looks for them: our plugin, and the adapter of Satori under a name of a plugin. Several files do it at the
 * same time, while the Koishi of another one reads them: so each is there whole or not at all.
 */
export function publishPlugins(folder: string): void {
  const modules = join(folder, "node_modules")
  const put = (path: string, make: (draft: string) => void): void => {
    const draft = `${join(modules, path)}-${randomUUID()}`
    make(draft)
    renameSync(draft, join(modules, path))
  }
  put("koishi-plugin-promptstrata", (draft) => symlinkSync("..", draft))
  mkdirSync(join(modules, "koishi-plugin-satori"), { recursive: true })
  put("koishi-plugin-satori/index.js", (draft) => writeFileSync(draft, `module.exports = require("@satorijs/adapter-satori")`))
}
