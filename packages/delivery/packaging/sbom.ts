import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import type { Platform, ProgramFile } from './program-files.ts'

/** What a program is made of and under which licences, for whoever has to know: `sbom.cdx.json`, `LICENCES.txt`. */
export function billOfMaterials(root: string, platform: Platform, version: string): ProgramFile[] {
  const { production, screens } = carriedPackages(root)
  const all = [...new Map([...production, ...screens].map((one) => [`${one.name}@${one.version}`, one])).values()]
  const text = (name: string, content: string): ProgramFile => ({
    path: name,
    from: { bytes: Buffer.from(content) },
    executable: false,
  })
  return [
    text('sbom.cdx.json', sbom([...all, runtimeOf(root, platform)], version)),
    text('LICENCES.txt', licences(root, all)),
  ]
}

/** What runs it: the Node of the package, or Electron with the Chromium and the Node in it. */
function runtimeOf(root: string, { window }: Platform): CarriedPackage {
  const name = window === 'browser' ? 'node' : 'electron'
  const folder = path.join(root, 'node_modules', name)
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  return { name, version, licence: 'MIT', folder }
}

/** CycloneDX 1.6, without a number or a time of its own: the same program has the same one. */
function sbom(packages: readonly CarriedPackage[], version: string): string {
  const bom = new Models.Bom()
  bom.metadata.component = new Models.Component(Enums.ComponentType.Application, 'milepost', {
    bomRef: 'milepost',
    version,
    licenses: licencesOf('Apache-2.0'),
  })
  for (const { name, version: one, licence } of packages) {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${one}`
    const component = new Models.Component(Enums.ComponentType.Library, name, {
      bomRef: purl,
      version: one,
      purl,
      licenses: licencesOf(licence),
    })
    bom.components.add(component)
    bom.metadata.component.dependencies.add(component.bomRef)
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}

const licencesOf = (expression: string): Models.LicenseRepository =>
  new Models.LicenseRepository([new Models.LicenseExpression(expression)])

/** The text of every licence as it came, behind the list of them. */
function licences(root: string, packages: readonly CarriedPackage[]): string {
  const texts = packages.flatMap(({ name, version, folder }) =>
    readdirSync(folder)
      .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      .toSorted()
      .map((file) => `\n==== ${name} ${version}: ${file}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`),
  )
  const list = path.join(root, 'docs', 'licences.md')
  const own = existsSync(list) ? readFileSync(list, 'utf8') : ''
  return [readFileSync(path.join(root, 'LICENSE'), 'utf8').trim(), '', own, ...texts].join('\n')
}

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
