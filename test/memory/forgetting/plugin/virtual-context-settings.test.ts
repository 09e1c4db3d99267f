import { expect, test } from "vitest"
import { virtualContextSettings } from "../../../../src/memory/forgetting/plugin/virtual-context-settings.ts"

test("without options the settings are these", () => {
  expect(virtualContextSettings({ events: { timeZone: "UTC" } })).toMatchSnapshot()
})
