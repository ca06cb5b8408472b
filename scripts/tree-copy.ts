import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = path.join(fileURLToPath(new URL('..', import.meta.url)))

/**
 * One rule broken on purpose: in `file`, `find` (which stands there exactly once, in whatever layout) becomes `put`.
 */
export interface Mutation {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly put: string
}

/** A copy of these parts of the tree, with the same packages, to break things in. Call `remove` at the end. */
export async function copyTree(
  parts: readonly string[],
): Promise<{ readonly tree: string; readonly remove: () => Promise<void> }> {
  const tree = await mkdtemp(path.join(tmpdir(), 'milepost-broken-'))
  for (const part of [...parts, 'package.json'])
    await cp(path.join(ROOT, part), path.join(tree, part), { recursive: true })
  await symlink(path.join(ROOT, 'node_modules'), path.join(tree, 'node_modules'))
  return { tree, remove: () => rm(tree, { recursive: true, force: true }) }
}

/** A text without what a formatter may change: spaces, line ends, and the comma before a closing bracket. */
function bare(text: string): { readonly signs: string; readonly places: readonly number[] } {
  let signs = ''
  const places: number[] = []
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (/\s/.test(sign)) continue
    if (/[)\]}]/.test(sign) && signs.endsWith(',')) {
      signs = signs.slice(0, -1)
      places.pop()
    }
    signs += sign
    places.push(at)
  }
  return { signs, places }
}

/** The source with the rule broken. Throws when the text is not there, or more than once, however it is laid out. */
export function broken(source: string, { file, find, put }: Mutation): string {
  const { signs, places } = bare(source)
  const wanted = bare(find).signs
  const found = signs.split(wanted).length - 1
  if (found !== 1) throw new Error(`${file}: what is to be changed stands there ${found} times: ${find}`)
  const first = signs.indexOf(wanted)
  const [from, last] = [places[first], places[first + wanted.length - 1]]
  if (from === undefined || last === undefined) throw new Error(`${file}: nothing to be changed`)
  return source.slice(0, from) + put + source.slice(last + 1)
}

/** Breaks the rule in the copy; answers what mends it again. Rejects when the text is not there, or more than once. */
export async function plant(tree: string, mutation: Mutation): Promise<() => Promise<void>> {
  const place = path.join(tree, mutation.file)
  const source = await readFile(place, 'utf8')
  await writeFile(place, broken(source, mutation))
  return () => writeFile(place, source)
}
