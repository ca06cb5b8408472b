import { setFlagsFromString } from 'node:v8'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import { lockFolder } from '../supervisor/folder-lock.ts'
import { readProfileOutline } from '../supervisor/profile-outline.ts'
import { folderRefusal, TerminalRefused } from '../supervisor/terminal-refused.ts'
import { launchNode } from '../supervisor/service.ts'
import { startServices, type CentralReady } from '../supervisor/terminal.ts'
import { browserWindow, noWindow, openBrowserWindow } from '../supervisor/launcher/open-window.ts'
import { launcherTranslator } from '../supervisor/launcher/translators.ts'
import { findPostgres } from '../store-server/db/start-postgres.ts'
import { untilEndRequested } from './store-demo/end-request.ts'
import { defaultDemoFolder, openDemoFolder, renameDemo, type DemoFolder } from './store-demo/folder.ts'
import { enrolLanes, startLane, type DemoLane } from './store-demo/lanes.ts'
import { DEMO_HELP, readDemoOptions, type DemoOptions } from './store-demo/options.ts'
import { laneIds, writeProfile } from './store-demo/profile.ts'
import { startDemoPostgres, startDemoServer } from './store-demo/store.ts'
import { tableOf } from './store-demo/table.ts'

/** `npm run milepost store:demo`: a training store of several lanes on this machine. */
setFlagsFromString('--no-concurrent-sparkplug')

const NO_POSTGRES =
  'PostgreSQL 15 or newer is not installed. Debian and Ubuntu: sudo apt-get install postgresql; macOS: brew install ' +
  'postgresql; elsewhere: postgresql.org/download.'
const CENTRAL = fileURLToPath(new URL('../central/main.ts', import.meta.url))

const TEXTS = launcherTranslator(FIRST_LOCALE)

type Log = (line: string) => void

/** Running components of the demo, which are closed in the opposite order of their start. */
interface Running {
  readonly closers: (() => Promise<void>)[]
  readonly lanes: DemoLane[]
  readonly failed: Promise<{ readonly message: string }>[]
}

const endRequested = untilEndRequested()
let isEnding = false
void endRequested.then(() => {
  isEnding = true
})

async function run(options: DemoOptions, log: Log): Promise<number> {
  if (findPostgres() === null) throw new TerminalRefused(NO_POSTGRES, 2)
  const folder = options.data ?? defaultDemoFolder()
  if (options.fresh) await archiveDemo(folder, log)
  const place = openDemoFolder(folder)
  const release = await lockDemo(place.folder)
  const running: Running = { closers: [release], lanes: [], failed: [] }
  try {
    await startAll(place, options, running, log)
    if (isEnding) return 0
    if (options.open) openWindows(place, running, log)
    const failure = await Promise.race([endRequested, ...running.failed])
    if (failure === 'asked') return 0
    log(failure.message)
    return 1
  } finally {
    log('The store closes: lanes first, then the shared services.')
    await Promise.all(running.lanes.map(({ terminal }) => terminal.stop()))
    for (const close of running.closers.toReversed()) await close()
  }
}

async function startAll(place: DemoFolder, options: DemoOptions, running: Running, log: Log): Promise<void> {
  const ids = laneIds(options.lanes)
  writeProfile(place.profile, ids)
  const outline = readProfileOutline(place.profile)
  if (outline === null) throw new TerminalRefused(`The profile ${place.profile} cannot be read.`, 2)
  log('PostgreSQL starts…')
  const postgres = await startDemoPostgres(place, log)
  running.closers.push(() => postgres.stop())
  running.failed.push(postgres.failed)
  if (isEnding) return
  log('The store server starts…')
  const server = await startDemoServer(place, postgres, { port: options.port, log })
  running.closers.push(() => server.stop())
  running.failed.push(server.failed)
  if (isEnding) return
  const services = await startServices({ centralMain: CENTRAL, dataFolder: place.folder, launch: launchNode, log })
  running.closers.push(() => services.stop())
  running.failed.push(services.failed)
  const fresh = await enrolLanes(place, server, { store: outline.storeId, lanes: ids, isEnding: () => isEnding })
  if (fresh.length > 0 && !isEnding) log(`Enrolled, each with its own code: ${fresh.join(', ')}.`)
  await startLanes(place, ids, { services: services.ready, port: options.port, running, log })
  if (isEnding) return
  const { url } = server.ready
  if (options.json) {
    const lanes = running.lanes.map(({ id, launchUrl }) => ({ id, launchUrl }))
    const pids = { server: server.pid(), postgres: postgres.pid() }
    process.stdout.write(`${JSON.stringify({ server: url, database: server.database, lanes, pids })}\n`)
  }
  log(`\n${tableOf(running.lanes)}\n`)
  log(`Training mode: nothing counts. Alex Tremblay has PIN 1234, the manager Sam Okafor 9999.`)
  log(`The store server is at ${url}. All data is in ${place.folder}. Press Ctrl-C to end everything.`)
}

/** Number of lanes that are started at once: a start uses a processor core for one or two seconds. */
const AT_ONCE = 2

async function startLanes(
  place: DemoFolder,
  ids: readonly string[],
  { services, port, running, log }: { services: CentralReady; port: number | null; running: Running; log: Log },
): Promise<void> {
  for (let at = 0; at < ids.length && !isEnding; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE)
    log(`${some.length === 1 ? 'Lane' : 'Lanes'} ${some.join(' and ')} ${some.length === 1 ? 'starts' : 'start'}…`)
    const started = await Promise.allSettled(
      some.map((id, index) =>
        startLane(place, id, { services, port: port === null ? null : port + 1 + at + index, log }),
      ),
    )
    // Record the started lanes even if another failed, so that all are stopped at the end.
    for (const one of started) if (one.status === 'fulfilled') running.lanes.push(one.value)
    for (const one of started) if (one.status === 'rejected') throw one.reason
  }
  // If a lane fails, the other lanes keep running.
  for (const { id, terminal } of running.lanes)
    void terminal.failed.then(({ message }) => log(`Lane ${id}: ${message}`))
}

function openWindows(place: DemoFolder, running: Running, log: Log): void {
  const missing = noWindow(false, TEXTS)
  const window =
    missing === null ? browserWindow('you asked for windows', TEXTS) : { kind: 'none' as const, why: missing }
  if (window.kind === 'none') return log(`No window was opened: ${window.why}. Open the addresses yourself.`)
  for (const { id, launchUrl } of running.lanes) {
    const userDataFolder = path.join(place.lane(id), 'browser')
    const opened = openBrowserWindow(window, launchUrl, { userDataFolder, kiosk: false })
    running.closers.push(() => opened.close())
  }
}

async function lockDemo(folder: string): Promise<() => Promise<void>> {
  const lock = await lockFolder(folder)
  if ('heldBy' in lock)
    throw new TerminalRefused(
      `A demo (process ${lock.heldBy}) is running on ${folder}. Use it, or give another --data folder.`,
      3,
    )
  return () => lock.release()
}

async function archiveDemo(folder: string, log: Log): Promise<void> {
  const release = await lockDemo(path.resolve(folder))
  try {
    const oldFolder = renameDemo(folder, new Date())
    if (oldFolder !== null) log(`The demo starts with empty data. The old data is in ${oldFolder}.`)
  } catch (error) {
    throw folderRefusal(folder, error)
  } finally {
    await release()
  }
}

try {
  const options = readDemoOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(DEMO_HELP)
  else process.exitCode = await run(options, options.json ? (line) => console.error(line) : (line) => console.log(line))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = error instanceof TerminalRefused ? error.exitCode : 2
}
