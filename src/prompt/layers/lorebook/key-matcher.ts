/** Calls `found` with the index of each key that occurs in a text and the offset of its end, in UTF-16 units. */
export type KeyMatcher = (text: string, found: (key: number, end: number) => void) => void

/**
 * Compiles keys into one matcher (Aho and Corasick, 1975). It reads a text once, however many keys there are: its time grows with the
 * text and the matches. Keys must be distinct and not empty.
 */
export function createKeyMatcher(keys: readonly string[]): KeyMatcher {
  const trie = buildTrie(keys)
  const { child, keyAt } = trie
  const { fail, shorter } = linkSuffixes(trie)
  return (text, found) => {
    let node = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      let next = child(node, unit)
      while (next === 0 && node !== 0) {
        node = fail[node] as number
        next = child(node, unit)
      }
      node = next
      for (let end = keyAt[node] === -1 ? shorter[node] : node; end; end = shorter[end]) found(keyAt[end] as number, at + 1)
    }
  }
}

/** All keys as one tree of characters. Node 0 is the root, so it also stands for "no such child". */
interface Trie {
  /** Nodes with the root. */
  readonly nodes: number
  readonly parent: Int32Array
  readonly unit: Uint16Array
  /** The length of the path to a node, without its last character. */
  readonly depth: Int32Array
  /** The key that ends at a node, or -1. */
  readonly keyAt: Int32Array
  child(node: number, unit: number): number
}

/** The children of all nodes stand in one hash table with open addressing: a map for each node would take ten times the memory. */
function buildTrie(keys: readonly string[]): Trie {
  const most = keys.reduce((sum, key) => sum + key.length, 1)
  const bits = Math.max(4, 33 - Math.clz32(most))
  const slots = new Int32Array(2 ** bits)
  const mask = slots.length - 1
  const [parent, depth, keyAt] = [new Int32Array(most), new Int32Array(most), new Int32Array(most).fill(-1)]
  const unit = new Uint16Array(most)
  const slotOf = (node: number, code: number): number => {
    let slot = Math.imul(Math.imul(node, 0x9e3779b1) ^ Math.imul(code, 0x85ebca6b), 0xc2b2ae35) >>> (32 - bits)
    for (let held = slots[slot] as number; held !== 0; held = slots[slot] as number) {
      if (parent[held] === node && unit[held] === code) break
      slot = (slot + 1) & mask
    }
    return slot
  }
  let nodes = 1
  for (const [index, key] of keys.entries()) {
    let node = 0
    for (let at = 0; at < key.length; at++) {
      const code = key.charCodeAt(at)
      const slot = slotOf(node, code)
      if (slots[slot] === 0) {
        parent[nodes] = node
        unit[nodes] = code
        depth[nodes] = at
        slots[slot] = nodes++
      }
      node = slots[slot] as number
    }
    keyAt[node] = index
  }
  return { nodes, parent, unit, depth, keyAt, child: (node, code) => slots[slotOf(node, code)] as number }
}

/** For each node: the node of its longest proper suffix in the tree (`fail`), and of the longest one that is a key (`shorter`). */
function linkSuffixes({ nodes, parent, unit, depth, keyAt, child }: Trie) {
  const fail = new Int32Array(nodes)
  const shorter = new Int32Array(nodes)
  for (const node of byDepth(depth, nodes)) {
    const above = parent[node] as number
    const code = unit[node] as number
    let suffix = above
    let end = 0
    while (suffix !== 0 && end === 0) {
      suffix = fail[suffix] as number
      end = child(suffix, code)
    }
    fail[node] = end
    shorter[node] = keyAt[end] === -1 ? (shorter[end] as number) : end
  }
  return { fail, shorter }
}

/** The nodes below the root, the shallowest first. */
function byDepth(depth: Int32Array, nodes: number): Int32Array {
  const starts = new Int32Array(nodes + 1)
  for (let node = 1; node < nodes; node++) (starts[(depth[node] as number) + 1] as number)++
  for (let at = 1; at <= nodes; at++) (starts[at] as number) += starts[at - 1] as number
  const ordered = new Int32Array(nodes - 1)
  for (let node = 1; node < nodes; node++) ordered[(starts[depth[node] as number] as number)++] = node
  return ordered
}
