import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const ROOT = join(import.meta.dirname, '../../..')

/** The previous release; `program`: its Git tag or commit. */
const Back = z.object({ program: z.string().regex(/^[\w][\w./-]*$/), note: z.string() })

export interface ProgramFolder {
  readonly app: string
}

/** A built program with its sources. */
interface SourceFolder extends ProgramFolder {
  readonly source: string
}

/** Returns the built program of this tree, and first rebuilds it if it is older than its sources. */
export function programOfToday(): ProgramFolder {
  build(ROOT, '--stale')
  return { app: join(ROOT, 'build/app') }
}

/**
 * Returns the built program of the previous release that `packages/delivery/releases/back.json` names, built by the
 * scripts of that release. It uses the npm packages of this tree if the lockfiles are equal, else its own. Returns the
 * reason if this tree is not a clone, or a clone without that release.
 */
export function programOfReleaseBack(folder: string): SourceFolder | { readonly missing: string } {
  const { program } = Back.parse(JSON.parse(readFileSync(join(ROOT, 'packages/delivery/releases/back.json'), 'utf8')))
  const known = spawnSync('git', ['cat-file', '-e', `${program}^{commit}`], { cwd: ROOT, encoding: 'utf8' })
  if (!existsSync(join(ROOT, '.git')) || known.error !== undefined)
    return { missing: 'this tree is not a git clone, or git is not installed' }
  if (known.status !== 0) return { missing: `this clone does not have ${program} (git fetch --unshallow --tags)` }
  const tree = join(folder, 'release-back')
  mkdirSync(tree)
  const archive = join(folder, 'release-back.tar')
  execFileSync('git', ['archive', '--format=tar', `--output=${archive}`, program], { cwd: ROOT })
  execFileSync('tar', ['-xf', archive, '-C', tree])
  const lockOf = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lockOf(tree) === lockOf(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction')
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: tree, stdio: 'inherit' })
  build(tree)
  return { app: join(tree, 'build/app'), source: tree }
}

function build(root: string, ...options: string[]): void {
  execFileSync(process.execPath, [...process.execArgv, 'scripts/build.ts', '--programs', ...options], {
    cwd: root,
    stdio: 'ignore',
  })
}
