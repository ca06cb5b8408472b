import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * `npm run licences [-- --check]`: writes docs/licences.md, the licences of everything that a package of Milepost
 * carries: the production dependencies with all of theirs, what is built into the screens, and fonts that came as
 * files. Ends with 1 when a licence is not on the list of those that go with Apache-2.0, or with `--check` when the
 * file is not up to date.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const OUTPUT = path.join(root, 'docs', 'licences.md')

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
// MPL-2.0 asks for the source of its own files only, which we ship as they come.
const ACCEPTED: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Python-2.0',
  'OFL-1.1',
  'MPL-2.0',
])

interface Package {
  readonly name: string
  readonly version: string
  readonly licence: string
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
function locate(name: string, from: string): string | null {
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
function closure(names: readonly string[]): Package[] {
  const found = new Map<string, Package>()
  const visit = (name: string, from: string): void => {
    const folder = locate(name, from)
    if (folder === null || found.has(folder)) return
    const manifest = readManifest(folder)
    const licence = typeof manifest.license === 'string' ? manifest.license : (manifest.license?.type ?? 'not stated')
    found.set(folder, { name: manifest.name, version: manifest.version, licence })
    for (const next of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) visit(next, folder)
  }
  for (const name of names) visit(name, path.resolve(root))
  const unique = new Map([...found.values()].map((one) => [`${one.name}@${one.version}`, one]))
  return [...unique.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
}

const acceptable = (licence: string): boolean =>
  licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((part) => ACCEPTED.has(part)))
const table = (packages: readonly Package[]): string =>
  [
    '| package | version | licence |',
    '|---|---|---|',
    ...packages.map((one) => `| ${one.name} | ${one.version} | ${one.licence} |`),
  ].join('\n')

const production = closure(Object.keys(readManifest(root).dependencies ?? {}))
const screens = closure(IN_THE_SCREENS)
const refused = [...production, ...screens].filter((one) => !acceptable(one.licence))
const page = `# Licences of what Milepost carries

Milepost itself is under Apache-2.0 (see LICENSE). This page is written by \`npm run licences\`.

## In the programs of a lane

${table(production)}

## Built into the screens

${table(screens)}

## In the pictures of receipts

Noto Sans Mono 2.006, OFL-1.1: \`backend/features/receipts/render/fonts/OFL.txt\`.
`
for (const one of refused)
  console.error(`${one.name}@${one.version}: ${one.licence} is not on the list of accepted licences.`)
if (refused.length > 0) process.exitCode = 1
if (process.argv.includes('--check')) {
  if (!existsSync(OUTPUT) || readFileSync(OUTPUT, 'utf8') !== page) {
    console.error('docs/licences.md is not up to date: run npm run licences.')
    process.exitCode = 1
  }
} else {
  writeFileSync(OUTPUT, page)
  console.log(`${production.length} packages in the programs, ${screens.length} in the screens: docs/licences.md`)
}
