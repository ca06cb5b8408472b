import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mutated, type Mutant } from './mutant.ts'

/** Copies these folders of the source tree and links its packages. `remove` must be called at the end. */
export async function copyTree(
  root: string,
  folders: readonly string[],
): Promise<{ readonly tree: string; readonly remove: () => Promise<void> }> {
  const tree = await mkdtemp(path.join(tmpdir(), 'milepost-mutants-'))
  for (const name of [...folders, 'package.json', 'tsconfig.json'])
    await cp(path.join(root, name), path.join(tree, name), { recursive: true })
  await symlink(path.join(root, 'node_modules'), path.join(tree, 'node_modules'))
  return { tree, remove: () => rm(tree, { recursive: true, force: true }) }
}

/** Applies the mutant to the copied tree; the returned function undoes it. */
export async function plant(tree: string, mutant: Mutant): Promise<() => Promise<void>> {
  const file = path.join(tree, mutant.file)
  const source = await readFile(file, 'utf8')
  await writeFile(file, mutated(source, mutant))
  return () => writeFile(file, source)
}
