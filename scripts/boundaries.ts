import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Checks the import rules between modules and between the areas of the backend (docs/architecture.md).
 * `npm run check` prints each violation.
 * See docs/decisions/0002-eight-areas-over-a-core.md.
 */

interface SourceFile {
  readonly path: string
  readonly text: string
}

interface ModuleRule {
  readonly modules: readonly string[]
  readonly forbidden?: readonly string[]
  readonly packages?: readonly string[]
}

const LANE_MODULES = ['contracts', 'packages/delivery', 'packages/supervisor']
/**
 * The rig starts and drives the programs for tests, scenarios, benchmarks and the lab. It imports none of the programs,
 * so that a process that measures another one does not load the same code.
 */
const RIG = 'packages/lab/rig'
const NO_HARDWARE = ['electron', 'serialport']

/**
 * Import rules by module. The longest key that is a prefix of a file’s path is the file’s module. Tests may also import
 * `packages/lab` and test helpers.
 */
export const MODULES: Readonly<Record<string, ModuleRule>> = {
  contracts: { modules: [], packages: ['zod', 'lean-qr', 'node:util'] },
  hardware: { modules: ['contracts'], forbidden: ['better-sqlite3', 'electron'] },
  backend: { modules: ['contracts', 'hardware', 'packages/delivery'], forbidden: ['electron'] },
  renderer: { modules: ['contracts'], forbidden: ['node:', 'electron', 'better-sqlite3', 'fastify'] },
  electron: { modules: LANE_MODULES, forbidden: ['better-sqlite3', 'serialport', 'fastify'] },
  'packages/supervisor': {
    modules: ['contracts', 'packages/delivery'],
    forbidden: ['better-sqlite3', 'electron', 'fastify', 'serialport'],
  },
  'packages/delivery': { modules: ['contracts'], forbidden: ['better-sqlite3', 'electron'] },
  'packages/delivery/commands': { modules: [...LANE_MODULES, 'packages/store-server', 'scripts'] },
  'packages/delivery/packaging': { modules: [...LANE_MODULES, 'packages/delivery/commands', 'scripts'] },
  'packages/central': { modules: ['contracts'], forbidden: NO_HARDWARE },
  'packages/conformance': { modules: ['contracts', RIG], forbidden: NO_HARDWARE },
  'packages/store-server': { modules: ['contracts', 'packages/delivery'], forbidden: NO_HARDWARE },
  'packages/lab': { modules: ['backend', ...LANE_MODULES, 'packages/delivery/commands', 'packages/store-server', RIG] },
  [RIG]: { modules: ['contracts', 'packages/delivery'] },
  e2e: { modules: ['contracts', 'packages/delivery', 'scripts', RIG] },
  bench: { modules: ['contracts', 'e2e', 'packages/delivery', RIG] },
  scripts: {
    modules: [...LANE_MODULES, 'packages/delivery/commands', 'packages/delivery/packaging', 'packages/store-server'],
  },
}

const IN_TESTS: Readonly<Record<string, readonly string[]>> = {
  renderer: ['e2e'],
  scripts: ['electron'],
  'packages/supervisor': ['electron'],
}

/** The only file of a module that other modules may import. */
const ENTRIES: Readonly<Record<string, string>> = {
  hardware: 'hardware/index.ts',
}

/** Areas of the backend. Each area imports the areas after it and the core (decision 2). */
const AREAS = ['operations', 'day', 'payments', 'loyalty', 'sales', 'catalog', 'staff', 'store', 'core'] as const

const OPENS_DEVICES = /^backend\/(core|operations)\/devices\//
const IMPORT = /^(?:import|export)\s(?:[^'"]*?\sfrom\s+)?['"]([^'"\s]+)['"]|\bimport\(\s*['"]([^'"\s]+)['"]/gm

const isTest = (file: string): boolean => /\.(test|fixture|spec)\.tsx?$|(^|\/)testing\//.test(file)

const moduleOf = (file: string): string | undefined =>
  Object.keys(MODULES)
    .filter((module) => file.startsWith(`${module}/`))
    .sort((left, right) => right.length - left.length)[0]

const areaOf = (file: string): number => AREAS.findIndex((area) => file.startsWith(`backend/${area}/`))

/** Returns one line per violation: `file: imported (rule)`. */
export function brokenBoundaries(files: Iterable<SourceFile>): string[] {
  const broken: string[] = []
  for (const { path: file, text } of files) {
    const module = moduleOf(file)
    if (module === undefined) continue
    for (const [, fixed, lazy] of text.matchAll(IMPORT)) {
      const imported = fixed ?? lazy ?? ''
      const rule = imported.startsWith('.') ? brokenBetween(module, file, imported) : brokenBy(module, file, imported)
      if (rule !== null) broken.push(`${file}: ${imported} (${rule})`)
    }
  }
  return broken
}

function brokenBy(module: string, file: string, imported: string): string | null {
  const { forbidden = [], packages } = MODULES[module] ?? { modules: [] }
  if (isTest(file) || file.endsWith('.config.ts')) return null
  if (forbidden.some((name) => imported === name || imported.startsWith(name.endsWith(':') ? name : `${name}/`)))
    return `${module} must not import this package`
  if (packages !== undefined && !packages.some((name) => imported === name || imported.startsWith(`${name}/`)))
    return `${module} imports ${packages.join(' and ')} and no other package`
  return null
}

function brokenBetween(module: string, file: string, imported: string): string | null {
  const to = path.posix.join(path.posix.dirname(file), imported)
  const target = moduleOf(to)
  if (target === undefined) return null
  if (target !== module) {
    const allowed = [
      ...(MODULES[module]?.modules ?? []),
      ...(isTest(file) ? ['packages/lab', RIG, ...(IN_TESTS[module] ?? [])] : []),
    ]
    if (!allowed.includes(target)) return `${module} must not import ${target}`
    const entry = ENTRIES[target]
    if (entry !== undefined && to !== entry && !to.startsWith(`${target}/testing/`))
      return `other modules import ${target} through ${entry}`
    if (module === 'backend' && target === 'hardware' && !OPENS_DEVICES.test(file))
      return 'only the device modules of the backend import hardware'
    if (module === 'renderer' && to.startsWith('contracts/central/'))
      return 'the screens do not import the contracts of the central services'
    if (module === 'renderer' && !isTest(file) && to === 'contracts/core/command-line.ts')
      return 'the screens have no command line'
  }
  const [from, area] = [areaOf(file), areaOf(to)]
  if (isTest(file) || from === -1) return null
  if (module === 'backend' && target === 'backend' && area === -1 && !isTest(to))
    return 'areas do not import the composition'
  if (area !== -1 && area < from) return `${AREAS[from]} must not import ${AREAS[area]}: ${AREAS.join(' → ')}`
  return null
}

/**
 * Returns the feature of a file: its folder, such as `backend/sales/held-sales`, or the area for a file directly in it.
 * The routes of an area are not a feature: they call all of its features, and only `app.ts` imports them.
 */
const featureOf = (file: string): string | null =>
  /^backend\/\w+\/\w+\.routes\.ts$/.test(file)
    ? null
    : (/^((?:backend|renderer)\/[^/]+(?:\/[^/]+)?)\//.exec(file)?.[1] ?? null)

/**
 * Returns the imports between features of the backend and of the window, without tests and imports of the core, as
 * `from → to`.
 */
function featureEdges(files: Iterable<SourceFile>): Set<string> {
  const edges = new Set<string>()
  for (const { path: file, text } of files) {
    const from = featureOf(file)
    if (from === null || isTest(file)) continue
    for (const [, fixed, lazy] of text.matchAll(IMPORT)) {
      const imported = fixed ?? lazy ?? ''
      const to = imported.startsWith('.') ? featureOf(path.posix.join(path.posix.dirname(file), imported)) : null
      if (to !== null && to !== from && !to.startsWith('backend/core') && !to.startsWith('renderer/core'))
        edges.add(`${from} → ${to}`)
    }
  }
  return edges
}

/** Returns the pairs of features that import each other: `one ↔ other`. */
export function mutualPairs(files: Iterable<SourceFile>): string[] {
  const edges = featureEdges(files)
  return [...edges].flatMap((edge) => {
    const [from = '', to = ''] = edge.split(' → ')
    return from < to && edges.has(`${to} → ${from}`) ? [`${from} ↔ ${to}`] : []
  })
}

export function sourcesOf(root: string): SourceFile[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.(c?tsx?|mjs)$/.test(file))
    .flatMap((file) => {
      try {
        return [{ path: file, text: readFileSync(path.join(root, file), 'utf8') }]
      } catch {
        // Skips a deleted file that is still in Git’s index.
        return []
      }
    })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const broken = brokenBoundaries(sourcesOf(fileURLToPath(new URL('..', import.meta.url))))
  for (const line of broken) console.error(line)
  process.exitCode = broken.length === 0 ? 0 : 1
}
