import { readdirSync } from 'node:fs'
import path from 'node:path'
import { rolldown, type Plugin } from 'rolldown'

/** Loaded as they lie in node_modules: native code, and packages that read files of their own. */
export const LOADED_FROM_PACKAGES = [
  'better-sqlite3',
  'serialport',
  '@resvg/resvg-wasm',
  'moment-timezone',
  'oidc-provider',
] as const
const STAYS_A_PACKAGE = ['electron', ...LOADED_FROM_PACKAGES].map((name) => new RegExp(`^${name}(/|$)`))

/** What Fastify does where nobody says otherwise: it compiles JSON schemas, and looks for files by a pattern. */
const NEVER_ASKED_FOR = /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|glob)$/

/**
 * Bundles and minifies the programs of a lane with their packages, each under the name that it has in the sources, with
 * what several of them share in chunks. A program loads some files where it loaded a thousand: it starts in half the
 * time and holds 15 MB less (docs/decisions/0005-node-from-npm-and-bundled-programs.md).
 *
 * The reference services are a bundle of their own, with nothing in common: a store's package leaves their folder out.
 */
export async function bundleApp(root: string, out: string): Promise<void> {
  await bundle(root, out, {
    chunks: 'shared',
    lane: true,
    programs: [
      'backend/main.ts',
      'backend/operations/provision.ts',
      'backend/operations/support/support-file.ts',
      'backend/operations/restore/doctor.ts',
      'backend/operations/find-trace.ts',
      'electron/main.ts',
      'electron/utility-main.ts',
      'packages/supervisor/launcher/main.ts',
      'packages/supervisor/launcher/parent-guard.ts',
      ...workersOf(root),
    ],
  })
  await bundle(root, out, { chunks: 'central/shared', programs: ['packages/central/main.ts'] })
  // A sandboxed preload is CommonJS.
  await bundle(root, out, { chunks: 'electron', programs: ['electron/preload.cts'] })
}

/** Bundles the backend that crash tests start some hundred times, as it stands in the sources. */
export const bundleCrashProgram = (root: string, out: string): Promise<void> =>
  bundle(root, out, {
    chunks: 'shared',
    programs: ['packages/lab/testing/crash-process.ts', ...workersOf(root)],
    minify: false,
  })

/**
 * Lanes of earlier releases start `launcher/main.js` of an update, and take `central/main.js` for the services of
 * training. Every other program keeps its place in the sources.
 */
const BUILT_NAMES: Readonly<Record<string, string>> = {
  'packages/supervisor/launcher/main.ts': 'launcher/main',
  'packages/central/main.ts': 'central/main',
}
const builtName = (file: string): string => BUILT_NAMES[file] ?? file.replace(/\.c?ts$/, '')

const workersOf = (root: string): string[] =>
  readdirSync(path.join(root, 'backend'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('-worker.ts') && !file.includes('testing'))
    .map((file) => `backend/${file.split(path.sep).join('/')}`)

async function bundle(
  root: string,
  out: string,
  {
    programs,
    chunks,
    minify = true,
    lane = false,
  }: {
    readonly programs: readonly string[]
    readonly chunks: string
    readonly minify?: boolean
    /** A lane names every compiler itself; the reference services leave some to Fastify. */
    readonly lane?: boolean
  },
): Promise<void> {
  const commonJs = programs.every((file) => file.endsWith('.cts'))
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((file) => [builtName(file), file])),
    platform: 'node',
    external: STAYS_A_PACKAGE,
    plugins: [placesInSources(root), ...(lane ? [withoutUnasked()] : []), ...(minify ? [asciiText()] : [])],
    onLog: (level, log, say) => {
      // Only of packages, and nothing that we could change there.
      if (log.code !== 'EVAL') say(level === 'warn' ? 'error' : level, log)
    },
  })
  await build.write({
    dir: out,
    format: commonJs ? 'cjs' : 'esm',
    // The log of a store names functions: as they are called in the sources.
    minify: minify && { compress: true, mangle: { keepNames: true }, codegen: true },
    entryFileNames: commonJs ? '[name].cjs' : '[name].js',
    chunkFileNames: `${chunks}/[name]-[hash].js`,
  })
  await build.close()
}

/**
 * A module that asks where it lies, for a worker or a file beside it, is told the place that it has in the sources, as
 * seen from the bundle that it has become a part of.
 */
function placesInSources(root: string): Plugin {
  const PLACE = /"__place:([^"]*)"/g
  const ADDRESS = /"__address:([^"]*)"/g
  return {
    name: 'places-in-sources',
    transform: {
      filter: { id: /\.ts$/, code: 'import.meta.' },
      handler(code, id) {
        const file = path.relative(root, id).split(path.sep).join('/')
        const built = file.replace(/\.ts$/, '.js')
        return code
          .replaceAll('import.meta.dirname', `"__place:${path.posix.dirname(file)}"`)
          .replaceAll('import.meta.filename', `"__place:${built}"`)
          .replaceAll('import.meta.url', `"__address:${built}"`)
      },
    },
    renderChunk(code, { fileName }) {
      const up = path.posix.relative(path.posix.dirname(fileName), '.') || '.'
      return code
        .replace(
          PLACE,
          (_, place: string) =>
            `process.getBuiltinModule('node:path').join(import.meta.dirname, ${JSON.stringify(`${up}/${place}`)})`,
        )
        .replace(ADDRESS, (_, place: string) => `new URL(${JSON.stringify(`${up}/${place}`)}, import.meta.url).href`)
    },
  }
}

/** In the place of what is never asked for stands what says so, should somebody ask. */
function withoutUnasked(): Plugin {
  const PLACE = '\0never-asked-for.cjs'
  return {
    name: 'without-unasked',
    resolveId: { filter: { id: NEVER_ASKED_FOR }, handler: () => PLACE },
    load: {
      filter: { id: /^\0never-asked-for\.cjs$/ },
      handler: () =>
        `const left = () => { throw new Error('left out of the bundle: scripts/bundle-app.ts') }
         module.exports = Object.assign(left, { glob: left })`,
    },
  }
}

/**
 * V8 holds the text of a module as long as it runs, and Node hands it a long one with two bytes for each character as
 * soon as one of them is not ASCII: a single accent doubles a bundle of two megabytes. Behind an escape it means the
 * same.
 */
function asciiText(): Plugin {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return {
    name: 'ascii-text',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escaped)
    },
  }
}
