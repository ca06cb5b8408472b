import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Development dependencies whose code or fonts end up in build/renderer. */
const IN_THE_SCREENS = [
  '@fontsource-variable/inter',
  '@tanstack/react-query',
  'ky',
  'lucide-react',
  'react',
  'react-aria-components',
  'react-dom',
  'recharts',
  'wouter',
  'zustand',
] as const
export interface CarriedPackage {
  readonly name: string
  readonly version: string
  /** As its package.json says it: an SPDX expression, as a rule. */
  readonly licence: string
  /** Where it is installed. */
  readonly folder: string
}
interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string | { readonly type?: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest

/** Where Node would find a dependency, seen from a package: its own node_modules, then those above it. */
function locate(root: string, name: string, from: string): string | null {
  for (
    let folder = from;
    folder.startsWith(path.join(root, path.sep)) || folder === path.resolve(root);
    folder = path.dirname(folder)
  ) {
    const candidate = path.join(folder, 'node_modules', name)
    if (existsSync(path.join(candidate, 'package.json'))) return candidate
  }
  return null
}

/**
 * The packages that some names bring in, themselves included, sorted by name and version. Optional ones count where
 * installed.
 */
function closure(root: string, names: readonly string[]): CarriedPackage[] {
  const found = new Map<string, CarriedPackage>()
  const visit = (name: string, from: string): void => {
    const folder = locate(root, name, from)
    if (folder === null || found.has(folder)) return
    const manifest = readManifest(folder)
    const licence = typeof manifest.license === 'string' ? manifest.license : (manifest.license?.type ?? 'not stated')
    found.set(folder, { name: manifest.name, version: manifest.version, licence, folder })
    for (const next of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) visit(next, folder)
  }
  for (const name of names) visit(name, path.resolve(root))
  const unique = new Map([...found.values()].map((one) => [`${one.name}@${one.version}`, one]))
  return [...unique.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
}

/** The packages of others that the programs of a lane carry in some form, and those that are built into the screens. */
export const carriedPackages = (
  root: string,
): { readonly production: readonly CarriedPackage[]; readonly screens: readonly CarriedPackage[] } => ({
  production: closure(root, Object.keys(readManifest(root).dependencies ?? {})),
  screens: closure(root, IN_THE_SCREENS),
})
