import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Files } from './release-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * What a version does once it is started. `ends`: its backend ends at once; `hangs`: it never answers and hears no
 * signal; `crashes`: it goes down when it was ready.
 */
export type Behaviour = 'sells' | 'ends' | 'hangs' | 'crashes'

const INSTEAD: Readonly<Record<Exclude<Behaviour, 'sells'>, string>> = {
  ends: 'process.exit(1)\n',
  hangs: 'for (;;);\n',
  // What it says first is that it is ready.
  crashes: `const { write } = process.stdout
process.stdout.write = (...given) => {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500)
  return write.apply(process.stdout, given)
}
await import('./good-main.js')
`,
}
/** A newer program has one migration more; it is one that the program before reads. */
const MIGRATION = `-- readable from: 1
CREATE TABLE made_up (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;
`

const MIGRATION_NAME = /(?:^|\/)(\d{4})_\w+\.sql$/

/** The schema that a program brings its database up to: the number of its last migration. */
export const schemaOf = (files: Files): number =>
  Math.max(...Object.keys(files).map((name) => Number(MIGRATION_NAME.exec(name)?.[1] ?? 0)))

/** A version of today's built program in `folder`, and what is in it. */
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
