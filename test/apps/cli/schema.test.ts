import { expect, test } from "vitest"
import { profileJsonSchema } from "../../../src/node/profile/profile-json-schema.ts"
import { run } from "./run.ts"

test("promptstrata schema prints the JSON Schema of profiles and nothing else", async () => {
  const { code, stdout, stderr } = await run(["schema"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(JSON.parse(stdout)).toEqual(profileJsonSchema())
})

test("its help says how an editor finds it", async () => {
  const { stdout } = await run(["schema", "--help"])
  expect(stdout).toContain("#:schema ./profile.schema.json")
})
