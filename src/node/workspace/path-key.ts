import { lazyPattern } from "../../core/lazy-pattern.ts"

const invisible = lazyPattern(String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}]`, "gu")

/**
 * What two spellings of one name have in common: width, composition, case and invisible characters folded away. Names that any
 * file system of ours takes for one another have one key (D12); folding twice changes nothing.
 */
export function nameKey(name: string): string {
  let key = name
  // Folding case can undo normal form and the other way round; two rounds settle every name there is.
  for (let round = 0; round < 8; round++) {
    const folded = foldOnce(key)
    if (folded === key) break
    key = folded
  }
  return key
}

/** Both ways, because some letters meet only in upper case: ß and SS, ſ and s. The final sigma depends on its neighbours. */
function foldOnce(text: string): string {
  const shown = text.normalize("NFKC").replace(invisible(), "")
  return shown.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC")
}
