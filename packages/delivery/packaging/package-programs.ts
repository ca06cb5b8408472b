import type { FileSet } from 'electron-builder'
import type { Profile } from '../../../contracts/core/profile.ts'

/** What an npm lockfile (version 3) says of each installed folder. */
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

/** The dependency that only the reference services have. */
const IDENTITY_PROVIDER = 'oidc-provider'
const PROGRAMS = ['**/*', '!package.json', '!**/testing/**']

/**
 * The built programs of a package. In production the reference services and their identity provider stay out: a lane
 * that sells must not carry a service that answers as the program does. Training sells against nothing else.
 *
 * Settled here and not in electron-builder.yml, which electron-builder reads by itself and merges with what it is
 * given: of two sets from one folder the filters are joined, and whatever one of them leaves out the other brings back.
 */
export function programsInPackage(
  mode: Profile['mode'],
  lockfile: Lockfile,
): { readonly files: readonly (string | FileSet)[]; readonly words: string } {
  const programs = (filter: string[]): FileSet => ({ from: 'build/app', to: '.', filter })
  if (mode === 'training') {
    return {
      files: [programs(PROGRAMS)],
      words: 'Training package: it brings made-up services along and sells nothing. For a store, set mode: production.',
    }
  }
  return {
    files: [
      programs([...PROGRAMS, '!central{,/**}', '!packages/central{,/**}']),
      ...packagesOnlyBehind(lockfile, IDENTITY_PROVIDER).map((folder) => `!${folder}{,/**}`),
    ],
    words: 'Production package: the services of training stay out of it.',
  }
}

/** The folders under node_modules of these dependencies and of what they need, for who loads no other from there. */
export const packagesBehind = (lockfile: Lockfile, names: readonly string[]): string[] =>
  [...reached(lockfile, (dependency) => names.includes(dependency))].toSorted()

/**
 * The folders under node_modules that are there for one dependency alone: it, and what nothing else of the program
 * needs.
 */
function packagesOnlyBehind(lockfile: Lockfile, name: string): string[] {
  const needed = reached(lockfile, (dependency) => dependency !== name)
  return [...reached(lockfile, () => true)].filter((folder) => !needed.has(folder)).toSorted()
}

function reached({ packages }: Lockfile, wanted: (dependency: string) => boolean): Set<string> {
  const found = new Set<string>()
  const namesIn = (folder: string): string[] =>
    Object.keys({ ...packages[folder]?.dependencies, ...packages[folder]?.optionalDependencies })
  const waiting = namesIn('')
    .filter(wanted)
    .map((name) => ({ from: '', name }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const folder = resolved(packages, next.from, next.name)
    if (folder === null || found.has(folder)) continue
    found.add(folder)
    for (const name of namesIn(folder)) waiting.push({ from: folder, name })
  }
  return found
}

/** Where Node finds a package: beside whoever asks, else further up. */
function resolved(packages: Lockfile['packages'], from: string, name: string): string | null {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (folder in packages) return folder
    if (at === '') return null
  }
}
