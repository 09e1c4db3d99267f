import { describe, expect, test, vi } from "vitest"
import { readCard } from "../../../src/node/cards/card-file.ts"
import { writeCard } from "../../../src/node/cards/write-card.ts"
import { writeZip } from "../../../src/node/cards/zip.ts"

const assets = [
  { type: "icon", name: "main", uri: "embeded://assets/icon.png", ext: "png" },
  { type: "icon", name: "other", uri: "ccdefault:", ext: "png" },
  { type: "emotion", name: "happy", uri: "data:image/png;base64,AAAA", ext: "png" },
  { type: "background", name: "shop", uri: "https://example.com/shop.png", ext: "png" },
]
const json = { spec: "chara_card_v3", data: { name: "Mei", assets } }
const icon = Buffer.from([1, 2, 3])
const charx = writeZip(
  new Map([
    ["card.json", Buffer.from(JSON.stringify(json))],
    ["assets/icon.png", icon],
  ]),
)

describe("assets of a card", () => {
  test("C12: are listed with their addresses, those in the file are beside the card, and none is fetched", () => {
    const fetched = vi.spyOn(globalThis, "fetch")
    const file = readCard(charx)
    expect(file.card.assets).toEqual(assets)
    expect([...file.files].map(([path, bytes]) => [path, Buffer.from(bytes)])).toEqual([["assets/icon.png", icon]])
    const again = readCard(writeCard(file))
    expect(again.card).toEqual(file.card)
    expect([...again.files.keys()]).toEqual(["assets/icon.png"])
    expect(fetched).not.toHaveBeenCalled()
    fetched.mockRestore()
  })
})
