import { readdirSync } from 'node:fs'
import path from 'node:path'
import { rolldown, type Plugin } from 'rolldown'

/** Packages that are loaded from node_modules and not bundled: native code, and packages that read their own files. */
export const LOADED_FROM_PACKAGES = [
  'better-sqlite3',
  'serialport',
  '@resvg/resvg-wasm',
  'moment-timezone',
  'oidc-provider',
] as const
const EXTERNAL = ['electron', ...LOADED_FROM_PACKAGES].map((name) => new RegExp(`^${name}(/|$)`))

/** Packages that a lane does not use: Fastify’s default JSON-schema compilers and its file search. */
const UNUSED_MODULES = /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|glob)$/

/**
 * Bundles and minifies the programs of a lane with their packages, each at its path in the sources, with shared code in
 * chunks. A program then loads a few files instead of a thousand: it starts in half the time and uses 15 MB less
 * (docs/decisions/0005-node-from-npm-and-bundled-programs.md). The reference services are a separate bundle without
 * shared chunks, because a store’s package omits their folder.
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
  // A sandboxed preload script must be a CommonJS module.
  await bundle(root, out, { chunks: 'electron', programs: ['electron/preload.cts'] })
}

/** Bundles the backend for the crash tests, which start it some hundred times. The code is not minified. */
export const bundleCrashProgram = (root: string, out: string): Promise<void> =>
  bundle(root, out, {
    chunks: 'shared',
    programs: ['packages/lab/testing/crash-process.ts', ...workersOf(root)],
    minify: false,
  })

/**
 * Names of built programs that lanes of earlier releases expect: they start `launcher/main.js` of an update, and use
 * `central/main.js` as the training services. Every other program keeps its path in the sources.
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
    /**
     * Whether the programs are those of a lane, which get no default compilers of Fastify because a lane sets every
     * compiler itself. The reference services use some of them.
     */
    readonly lane?: boolean
  },
): Promise<void> {
  const commonJs = programs.every((file) => file.endsWith('.cts'))
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((file) => [builtName(file), file])),
    platform: 'node',
    external: EXTERNAL,
    plugins: [placesInSources(root), ...(lane ? [withoutUnusedModules()] : []), ...(minify ? [asciiText()] : [])],
    onLog: (level, log, report) => {
      // Drops the warning about eval, which comes only from packages that this project cannot change.
      if (log.code !== 'EVAL') report(level === 'warn' ? 'error' : level, log)
    },
  })
  await build.write({
    dir: out,
    format: commonJs ? 'cjs' : 'esm',
    // Function names are not minified, because they are in the log of a store.
    minify: minify && { compress: true, mangle: { keepNames: true }, codegen: true },
    entryFileNames: commonJs ? '[name].cjs' : '[name].js',
    chunkFileNames: `${chunks}/[name]-[hash].js`,
  })
  await build.close()
}

/**
 * Replaces `import.meta` paths with the module's path in the sources, relative to its bundle, so that it finds its
 * workers and files.
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

function withoutUnusedModules(): Plugin {
  const PLACE = '\0unused-module.cjs'
  return {
    name: 'without-unused-modules',
    resolveId: { filter: { id: UNUSED_MODULES }, handler: () => PLACE },
    load: {
      filter: { id: /^\0unused-module\.cjs$/ },
      handler: () =>
        `const left = () => { throw new Error('left out of the bundle: scripts/bundle-app.ts') }
        module.exports = Object.assign(left, { glob: left })`,
    },
  }
}

/**
 * Escapes non-ASCII characters in the bundle. V8 keeps the source text in memory, with two bytes per character if any
 * of them is not ASCII: a single accent would double a bundle of two megabytes.
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
