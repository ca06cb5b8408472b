import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { carriedPackages, type CarriedPackage } from '../packages/delivery/packaging/sbom.ts'

/**
 * `npm run lab -- licences [--check]`: writes docs/licences.md, the licences of everything in a package of Milepost:
 * production dependencies, packages built into the screens, and fonts. Exits with 1 if a licence is not compatible with
 * Apache-2.0, or, with `--check`, if the file is out of date.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const OUTPUT = path.join(root, 'docs', 'licences.md')

// MPL-2.0 is compatible: it requires only the source of its own files, which Milepost ships unchanged.
const ACCEPTED: ReadonlySet<string> = new Set([
  'MIT',
  'MIT-0',
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

const acceptable = (licence: string): boolean =>
  licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((part) => ACCEPTED.has(part)))
const table = (packages: readonly CarriedPackage[]): string =>
  [
    '| package | version | licence |',
    '|---|---|---|',
    ...packages.map((one) => `| ${one.name} | ${one.version} | ${one.licence} |`),
  ].join('\n')

const { production, screens } = carriedPackages(root)
const refused = [...production, ...screens].filter((one) => !acceptable(one.licence))
const page = `# Licences of the packages in Milepost

Milepost itself is under Apache-2.0 (see LICENSE). \`npm run lab -- licences\` writes this page.

## In the programs of a lane

${table(production)}

## Built into the screens

${table(screens)}

## In the pictures of receipts

Noto Sans Mono 2.006, OFL-1.1: \`backend/core/paper/fonts/OFL.txt\`.
`
for (const one of refused)
  console.error(
    `${one.name}@${one.version}: the licence ${one.licence} is not accepted. Replace the package, or extend the list.`,
  )
if (refused.length > 0) process.exitCode = 1
if (process.argv.includes('--check')) {
  if (!existsSync(OUTPUT) || readFileSync(OUTPUT, 'utf8') !== page) {
    console.error('docs/licences.md is out of date. Run: npm run lab -- licences')
    process.exitCode = 1
  }
} else {
  writeFileSync(OUTPUT, page)
  console.log(`${production.length} packages in the programs, ${screens.length} in the screens: docs/licences.md`)
}
