import { type FSWatcher, watch } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, type ViteDevServer } from 'vite'
import { defaultDataFolder } from '../packages/supervisor/places.ts'
import { readProfileOutline } from '../packages/supervisor/profile-outline.ts'
import { TerminalRefused } from '../packages/supervisor/terminal-refused.ts'
import { type ServiceProcess, launchNode } from '../packages/supervisor/service.ts'
import { startTerminal } from '../packages/supervisor/terminal.ts'

/**
 * `npm run dev`: the training terminal with hot reload. Vite serves the screens and forwards /api to the
 * backend. A change in backend, hardware, contracts or packages restarts the backend on its port, supervised as by `npm
 * start`. The signed-in cashier and the open sale are in the database and survive a restart.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts: string[]): string => path.join(root, ...parts)
const WATCHED = ['backend', 'hardware', 'contracts', 'packages'] as const
/** Time without changes before a restart, because editors write a file in several steps. */
const DEBOUNCE_MS = 150

async function run(): Promise<void> {
  const profileFile = at('stores', 'training.yaml')
  const outline = readProfileOutline(profileFile)
  if (outline === null) throw new TerminalRefused(`The profile ${profileFile} cannot be read.`, 2)
  const lane = outline.lanes[0]
  const backendMain = at('backend', 'main.ts')
  let backend: ServiceProcess | null = null
  // A broken backend fails at every restart until it is fixed: print each message once.
  const printed = new Set<string>()
  const logOnce = (line: string): void => {
    if (printed.has(line)) return
    printed.add(line)
    console.log(line)
  }
  const terminal = await startTerminal({
    mode: outline.mode,
    profileFile: () => profileFile,
    lane,
    backendMain,
    dataFolder: `${defaultDataFolder(outline.storeId, lane)}-dev`,
    listen: { kind: 'port', port: 0 },
    centralMain: at('packages', 'central', 'main.ts'),
    staticFolder: null,
    launch: (request) => {
      const child = launchNode(request)
      if (request.script === backendMain) backend = child
      return child
    },
    secrets: {},
    log: logOnce,
    onBackendMessage: logOnce,
    onFreshLink: (ready) => {
      if ('launchUrl' in ready) printAddress(ready.launchUrl)
    },
    onBackendAgain: () => console.log('The backend is back.'),
    backoffMs: (attempt) => (attempt === 0 ? 300 : 1_000),
  })
  if (!('url' in terminal.backend)) throw new TerminalRefused('The backend printed no address.', 1)
  const { url, launchUrl } = terminal.backend

  const watchers = watchSources((file) => {
    printed.clear()
    console.log(`${file} changed.`)
    backend?.stop()
  })
  const screens = await openScreens(url)
  const printAddress = (link: string): void =>
    console.log(`Open ${urlOf(screens)}/${new URL(link).hash}  (training mode; Ctrl-C ends everything)`)
  await screens.listen()
  printAddress(launchUrl)

  const asked = new Promise<null>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve(null))
  })
  const failure = await Promise.race([asked, terminal.failed])
  for (const watcher of watchers) watcher.close()
  await screens.close()
  await terminal.stop()
  if (failure !== null) throw new TerminalRefused(failure.message, failure.exit?.code ?? 1)
}

function watchSources(onChange: (file: string) => void): FSWatcher[] {
  let debounce: NodeJS.Timeout | undefined
  return WATCHED.map((module) =>
    watch(at(module), { recursive: true }, (_kind, file) => {
      if (
        file === null ||
        !/\.(ts|sql)$/.test(file) ||
        file.endsWith('.test.ts') ||
        (module === 'contracts' && path.basename(file) === 'screens.ts')
      )
        return
      clearTimeout(debounce)
      debounce = setTimeout(() => onChange(`${module}/${file}`), DEBOUNCE_MS)
    }),
  )
}

const urlOf = (screens: ViteDevServer): string | undefined => screens.resolvedUrls?.local[0]?.replace(/\/$/, '')

async function openScreens(backend: string): Promise<ViteDevServer> {
  const screens = await createServer({
    // The screens check that a lane identifies itself with this address, which is the lane’s own.
    define: { 'import.meta.env.VITE_LANE_HOST': JSON.stringify(new URL(backend).host) },
    root: at('renderer'),
    configFile: at('renderer', 'vite.config.ts'),
    server: {
      host: '127.0.0.1',
      proxy: {
        // Vite serves the screens’ modules in their folder `api`, such as /api/client.ts. Such a path has a dot, which
        // no path of the backend’s API has.
        '^/api/(openapi\\.json|[^.]*)$': {
          target: backend,
          changeOrigin: true,
          // The Origin header is rewritten for the page that Vite serves and for no other, because the backend accepts
          // only its own origin.
          configure: (proxy) =>
            proxy.on('proxyReq', (outgoing, incoming) => {
              if (incoming.headers.origin === urlOf(screens)) outgoing.setHeader('origin', backend)
            }),
        },
      },
    },
  })
  return screens
}

try {
  await run()
} catch (error) {
  if (!(error instanceof TerminalRefused)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
