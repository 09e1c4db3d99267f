import { dirname, join, resolve } from "node:path"
import type { ProfileInput } from "../profile/profile-input.ts"
import { camelKeys } from "./camel-keys.ts"
import { nearestWith } from "./profile-chain.ts"
import { profileMcp } from "./profile-mcp.ts"
import type { ProfileFile } from "./profile-schema.ts"
import type { ProfileDocument } from "./read-profile-file.ts"

/** A file's settings that name nothing else to be loaded; folders become absolute, each relative to the file that sets it. */
export function profileSettings(file: ProfileFile, chain: readonly ProfileDocument[], dataFolder: string): ProfileInput {
  const filesFolder = folderAt(chain, "files") ?? join(dataFolder, "workspace")
  return {
    loop: camelKeys(file.loop ?? {}),
    limits: camelKeys(file.limits ?? {}),
    retry: camelKeys(file.retry ?? {}),
    history: camelKeys(file.history ?? {}),
    budget: camelKeys(file.budget ?? {}),
    memory: { ...camelKeys(file.memory ?? {}), ...recallOf(file) },
    recallWeights: file.recall_weights ?? {},
    context: camelKeys(file.context ?? {}),
    // Copied, as TOML's tables have no prototype and tools expect ordinary objects.
    prestart: structuredClone(file.prestart ?? []).map((entry) => camelKeys(entry)),
    model: camelKeys(file.model ?? {}),
    mcp: profileMcp(file, chain),
    files: { ...camelKeys(file.files ?? {}), folder: filesFolder },
    ...(file.documents && {
      documents: { ...camelKeys(file.documents), folder: folderAt(chain, "documents") ?? filesFolder },
    }),
  }
}

/** A profile that lists plugins recalls only with `memory` among them, unless it says otherwise; without a list the default holds (L8). */
function recallOf({ memory, plugins }: ProfileFile): ProfileInput["memory"] {
  if (memory?.enabled !== undefined || plugins === undefined) return {}
  return { enabled: plugins.enabled?.includes("memory") ?? false }
}

function folderAt(chain: readonly ProfileDocument[], table: "documents" | "files"): string | undefined {
  const document = nearestWith(chain, table, "folder")
  const folder = document?.data[table]?.folder
  return document === undefined || folder === undefined ? undefined : resolve(dirname(document.path), folder)
}
