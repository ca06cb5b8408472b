import type { FileSet } from 'electron-builder'
import type { Profile } from '../../../contracts/core/profile.ts'

export interface Lockfile {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly dependencies?: Readonly<Record<string, string>>
        readonly optionalDependencies?: Readonly<Record<string, string>>
      }
    >
  >
}

const IDENTITY_PROVIDER = 'oidc-provider'
const PROGRAMS = ['**/*', '!package.json', '!**/testing/**']

/**
 * Returns the built programs of a package. Production packages exclude the reference services and their identity
 * provider: a lane that sells must not contain a service that imitates the loyalty program's. Training needs them. The
 * files are set here and not in electron-builder.yml, which electron-builder also reads and merges: it joins the
 * filters of two sets for one folder, so one set would include the files that the other excludes.
 */
export function programsInPackage(
  mode: Profile['mode'],
  lockfile: Lockfile,
): { readonly files: readonly (string | FileSet)[]; readonly message: string } {
  const programs = (filter: string[]): FileSet => ({ from: 'build/app', to: '.', filter })
  if (mode === 'training') {
    return {
      files: [programs(PROGRAMS)],
      message:
        'Training package: it includes simulated services, and its sales do not count. A store needs mode: production.',
    }
  }
  return {
    files: [
      programs([...PROGRAMS, '!central{,/**}', '!packages/central{,/**}']),
      ...packagesOnlyBehind(lockfile, IDENTITY_PROVIDER).map((folder) => `!${folder}{,/**}`),
    ],
    message: 'Production package: it excludes the services of training.',
  }
}

export const packagesBehind = (lockfile: Lockfile, names: readonly string[]): string[] =>
  [...reached(lockfile, (dependency) => names.includes(dependency))].toSorted()

function packagesOnlyBehind(lockfile: Lockfile, name: string): string[] {
  const needed = reached(lockfile, (dependency) => dependency !== name)
  return [...reached(lockfile, () => true)].filter((folder) => !needed.has(folder)).toSorted()
}

function reached({ packages }: Lockfile, includes: (dependency: string) => boolean): Set<string> {
  const found = new Set<string>()
  const namesIn = (folder: string): string[] =>
    Object.keys({ ...packages[folder]?.dependencies, ...packages[folder]?.optionalDependencies })
  const waiting = namesIn('')
    .filter(includes)
    .map((name) => ({ from: '', name }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const folder = resolved(packages, next.from, next.name)
    if (folder === null || found.has(folder)) continue
    found.add(folder)
    for (const name of namesIn(folder)) waiting.push({ from: folder, name })
  }
  return found
}

function resolved(packages: Lockfile['packages'], from: string, name: string): string | null {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (folder in packages) return folder
    if (at === '') return null
  }
}
