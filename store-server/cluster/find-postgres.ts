import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

const OLDEST = 15
const DEBIAN = '/usr/lib/postgresql'

/** Words for where there is none. */
export const NO_POSTGRES = `PostgreSQL ${OLDEST} or newer is not installed (npm run setup)`

const runs = (program: string, ...args: readonly string[]): string | null => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

function* folders(): Generator<string> {
  const told = runs('pg_config', '--bindir')
  if (told !== null) yield told
  // Debian puts them on nobody’s PATH.
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
  for (const version of versions.toSorted((one, other) => Number(other) - Number(one)))
    yield path.join(DEBIAN, version, 'bin')
  yield* (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
}

/** The folder of the first PostgreSQL of this machine that is new enough; null: there is none. */
export function findPostgres(): string | null {
  for (const folder of folders()) {
    if (!['postgres', 'initdb'].every((name) => existsSync(path.join(folder, name)))) continue
    const [, version] = /\(PostgreSQL\) (\d+)/.exec(runs(path.join(folder, 'postgres'), '--version') ?? '') ?? []
    if (Number(version) >= OLDEST) return folder
  }
  return null
}

/** As whom it runs: it refuses to be root. Nothing: as whoever runs this. */
export function userOfPostgres(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [runs('id', '-u', name), runs('id', '-g', name)]
    if (uid !== null && gid !== null) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.')
}
