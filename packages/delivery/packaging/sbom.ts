import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import type { Platform, ProgramFile } from './program-files.ts'

/** Returns the components of a program and their licences: files `sbom.cdx.json` and `LICENCES.txt`. */
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

function runtimeOf(root: string, { window }: Platform): CarriedPackage {
  const name = window === 'browser' ? 'node' : 'electron'
  const folder = path.join(root, 'node_modules', name)
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  return { name, version, licence: 'MIT', folder }
}

/** Returns a bill of materials in CycloneDX 1.6, without a serial number or a time, so that it is reproducible. */
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

/** Development dependencies whose code or fonts are built into build/renderer. */
const SCREEN_PACKAGES = [
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
  /** Licence in the component's package.json: usually an SPDX expression. */
  readonly licence: string
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
 * Returns the packages of these names with their dependencies, sorted by name and version. Optional dependencies are
 * included if they are installed.
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

export const carriedPackages = (
  root: string,
): { readonly production: readonly CarriedPackage[]; readonly screens: readonly CarriedPackage[] } => ({
  production: closure(root, Object.keys(readManifest(root).dependencies ?? {})),
  screens: closure(root, SCREEN_PACKAGES),
})
