import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = path.join(fileURLToPath(new URL('..', import.meta.url)))

/** One rule broken on purpose: in `file`, `find` (which stands there exactly once) becomes `put`. */
export interface Mutation {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly put: string
}

/** A copy of these parts of the tree, with the same packages, to break things in. Call `remove` at the end. */
export async function copyTree(parts: readonly string[]): Promise<{ readonly tree: string; readonly remove: () => Promise<void> }> {
  const tree = await mkdtemp(path.join(tmpdir(), 'milepost-broken-'))
  for (const part of [...parts, 'package.json']) await cp(path.join(ROOT, part), path.join(tree, part), { recursive: true })
  await symlink(path.join(ROOT, 'node_modules'), path.join(tree, 'node_modules'))
  return { tree, remove: () => rm(tree, { recursive: true, force: true }) }
}

/** Breaks the rule in the copy; answers what mends it again. Rejects when the text is not there, or more than once. */
export async function plant(tree: string, { file, find, put }: Mutation): Promise<() => Promise<void>> {
  const place = path.join(tree, file)
  const source = await readFile(place, 'utf8')
  const found = source.split(find).length - 1
  if (found !== 1) throw new Error(`${file}: what is to be changed stands there ${found} times: ${find}`)
  await writeFile(place, source.replace(find, () => put))
  return () => writeFile(place, source)
}
