import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Files } from './release-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Behaviour of a program version after its start. `ends`: its backend ends at once; `hangs`: it never answers and reads
 * no input; `crashes`: it is killed after it was ready.
 */
export type Behaviour = 'sells' | 'ends' | 'hangs' | 'crashes'

const INSTEAD: Readonly<Record<Exclude<Behaviour, 'sells'>, string>> = {
  ends: 'process.exit(1)\n',
  hangs: 'for (;;);\n',
  crashes: `const { write } = process.stdout
process.stdout.write = (...given) => {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500)
  return write.apply(process.stdout, given)
}
await import('./good-main.js')
`,
}
const MIGRATION = `-- readable from: 1
CREATE TABLE made_up (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;
`

const MIGRATION_NAME = /(?:^|\/)(\d{4})_\w+\.sql$/

export const schemaOf = (files: Files): number =>
  Math.max(...Object.keys(files).map((name) => Number(MIGRATION_NAME.exec(name)?.[1] ?? 0)))

export function makeProgram(
  folder: string,
  version: string,
  { hasMigration, behaviour = 'sells' }: { readonly hasMigration: boolean; readonly behaviour?: Behaviour },
): Files {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'build', 'app'), folder, { recursive: true })
  cpSync(join(root, 'build', 'renderer', 'index.html'), join(folder, 'renderer', 'index.html'))
  const file = join(folder, 'package.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"version": "[^"]*"/, `"version": "${version}"`))
  if (hasMigration) {
    const number = String(schemaOf(filesOf(folder)) + 1).padStart(4, '0')
    writeFileSync(join(folder, 'backend', 'core', 'db', 'migrations', `${number}_made_up.sql`), MIGRATION)
  }
  if (behaviour !== 'sells') {
    const main = join(folder, 'backend', 'main.js')
    cpSync(main, join(folder, 'backend', 'good-main.js'))
    writeFileSync(main, INSTEAD[behaviour])
  }
  return filesOf(folder)
}

function filesOf(folder: string): Files {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    names.map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return [relative(folder, file).split(sep).join('/'), readFileSync(file)]
    }),
  )
}
