import { expect, test } from "vitest"
import { lightPackages } from "../support/layer-order.ts"
import { modulesLoadedBy, packagesAmong } from "../support/loaded-modules.ts"
import { root } from "../support/source-files.ts"

test("importing the testing entry loads no built-in module and only light packages", () => {
  const loaded = modulesLoadedBy(`${root}src/testing/index.ts`)
  expect(loaded.some((url) => url.endsWith("/src/testing/scripted-model.ts"))).toBe(true)
  expect(loaded.filter((url) => !url.startsWith("file:"))).toEqual([])
  expect(packagesAmong(loaded).filter((name) => !lightPackages.includes(name))).toEqual([])
})
