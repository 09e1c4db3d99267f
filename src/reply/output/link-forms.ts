import { judgeDestination, type LinkHosts } from "./link-address.ts"

/** Says where a form ends: a place; `hold` while more text may still end it; `none` if nothing ends it soon enough. */
export type FormEnd = number | "hold" | "none"

/** A character that ends an address in a text. */
export const addressEnd: RegExp =
  /(?!\ufeff)[\s<>"'`()[\]{}|*\u2026\u3001\u3002\u300a-\u3011\uff01\uff08\uff09\uff0c\uff1b\uff1f]/g
/** The places in an address that is passed on at which some client ends it, or begins another one. */
export const keptEnd: RegExp = /[^!#-&+-;=?-Z\\^_a-z~]|[a-z][a-z0-9+.-]{0,30}:[\\/]{2}/gi
/** The beginning of an address, at the end of a text that may go on. */
export const unfinished: RegExp = /[a-z][a-z0-9+.-]{0,30}(?::[\\/]?)?$/i

interface Bounds {
  /** A form with more characters has no end. */
  readonly longest: number
  readonly isWhole: boolean
}

/** The place of the bracket that closes the one at `at`. A blank line ends the search, as it ends a link. */
export function bracketEnd(text: string, at: number, pair: "[]" | "()", { longest, isWhole }: Bounds): FormEnd {
  const stop = Math.min(text.length, at + longest)
  let depth = 0
  let isBlank = false
  for (let place = at; place < stop; place++) {
    const character = text.charAt(place)
    if (character === "\n" && isBlank) return "none"
    if (character === "\n") isBlank = true
    else if (character !== " " && character !== "\t" && character !== "\r") isBlank = false
    if (character === pair.charAt(0)) depth++
    else if (character === pair.charAt(1) && --depth === 0) return place
  }
  return isWhole || stop === at + longest ? "none" : "hold"
}

/** The place after the `>` of the tag at `at`. Quotes count wherever they stand, so that no reader sees a longer tag. */
export function tagEnd(text: string, at: number, { longest, isWhole }: Bounds): FormEnd {
  const stop = Math.min(text.length, at + longest)
  let quote = ""
  for (let place = at + 1; place < stop; place++) {
    const character = text.charAt(place)
    if (character === quote) quote = ""
    else if (quote === "" && (character === '"' || character === "'")) quote = character
    else if (quote === "" && character === ">") return place + 1
  }
  return isWhole || stop === at + longest ? "none" : "hold"
}

const addressAttribute =
  /[\s/"'](?:href|src|srcset|imagesrcset|action|formaction|poster|background|data|ping|style|content|cite|longdesc|usemap|classid|codebase|archive|profile|manifest|lowsrc|dynsrc|xlink:href|on[a-z]+)\s*=/i

/** True for a tag that can name an address, or hold text in which addresses have other forms. */
export function mayLoad(tag: string): boolean {
  return addressAttribute.test(tag) || /^<(?:style|script)[\s/>]/i.test(tag)
}

const plainTag = /^<(?:a|img)(?:\s+(?:href|src|alt|title|width|height|rel|target)="[^"<>&\\]*")*\s*\/?>$/i

/** True for an `<a>` or `<img>` of plain attributes whose addresses are all allowed. */
export function isAllowedTag(tag: string, hosts: LinkHosts): boolean {
  const addresses = [...tag.matchAll(/\s(?:href|src)="([^"]*)"/gi)]
  return plainTag.test(tag) && addresses.every(([, address = ""]) => judgeDestination(address, hosts).kept !== undefined)
}
