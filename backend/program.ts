import { writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { destination } from 'pino'
import { writeEnding } from '../contracts/core/program.ts'
import type { Locale } from '../contracts/core/locales.ts'
import { createTerminal, type RunningTerminal } from './app.ts'
import { createTrainingServices } from './core/central/training-services.ts'
import { systemRng, systemClock } from './core/clock.ts'
import type { TerminalOptions } from './lane.ts'
import {
  lockDataFolder,
  EXIT,
  folderRefusal,
  StartRefusedError,
  type DataFolder,
  type FolderOwner,
} from './core/program/data-folder.ts'
import { listen, type Place, SHELL_HOST, SHELL_ORIGIN } from './core/program/listening.ts'
import { findLaneSlots } from './operations/updates/lane-updates.ts'
import { rollBack } from './operations/restore/rollback.ts'
import { refusalText } from './core/i18n.ts'
import { createLogCounts } from '../contracts/core/log-fields.ts'
import { setProxy } from '../packages/delivery/outgoing.ts'
import { type Logger, createLogger } from './core/log.ts'
import { parseOptions } from './core/program/options.ts'
import { nameProcess, programVersion, type Stop, stopOf, stopOnRequest } from './core/program/process.ts'
import { profileLocale } from './core/profile/profile-lane.ts'
import { readStart } from './operations/start-checks.ts'
import { applyRestore } from './operations/restore/restore.ts'
import { readSealKey } from './core/integrity/seal.ts'

/** Minimum time in ms between two launch links that pages request. */
const BETWEEN_LINKS_MS = 5_000

/**
 * Runs the backend as a process: reads its options, locks the data folder, listens, prints its address as the first
 * line of standard output and stops on request. The supervisor retries by the exit code. `seams`: only for tests.
 */
export function runProgram(seams?: TerminalOptions['seams']): void {
  if (process.argv.includes('--exit-with-stdin'))
    process.once(
      'exit',
      writeEnding((line) => writeSync(process.stdout.fd, line)),
    )
  run(seams).catch((error: unknown) => {
    const refused = error instanceof StartRefusedError
    const other = (): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
    process.stderr.write(`${refused ? refusalText(error, storeLocale()) : other()}\n`)
    process.exit(refused ? error.exitCode : 1)
  })
}

function storeLocale(): Locale | null {
  try {
    return profileLocale(parseOptions(process.argv.slice(2)).profile)
  } catch {
    return null
  }
}

async function run(seams: TerminalOptions['seams']): Promise<void> {
  const options = parseOptions(process.argv.slice(2))
  nameProcess()
  const logCounts = createLogCounts()
  const log = createLogger({
    level: options.logLevel,
    destination: destination({ fd: 2, sync: true }),
    counts: logCounts,
  })
  const { profile, lane, endpoints, clientSecret } = readStart(options, process.env)
  await setProxy(endpoints)

  let place: Place = { host: options.listen.kind === 'socket' ? SHELL_HOST : '', entryOf: () => ({}) }
  let stop: Stop = () => undefined
  let linkGivenAt = -Infinity
  const owner = { mode: profile.mode, store: profile.store.id, lane: lane.id }
  const terminal = await onDataFolder(options.data, owner, log, (folder) =>
    createTerminal({
      profile,
      profileFile: options.profile,
      checkNames: true,
      lane,
      folder,
      endpoints,
      clientSecret,
      keyStore: readSealKey(process.env) !== null,
      practice: options.central?.controlUrl ? createTrainingServices(options.central.controlUrl) : null,
      staticRoot: options.staticRoot,
      version: programVersion(),
      clock: systemClock,
      rng: systemRng,
      log,
      logCounts,
      // With this exit code the supervisor starts the process again at once.
      restart: () => {
        stop('restart', EXIT.restart)
      },
      laneSlots: findLaneSlots(dirname(import.meta.dirname), options.data, () => new Date()),
      restartForUpdate: () => {
        stop('update', EXIT.update)
      },
      onLinkRequested: (page) => {
        // The links are limited, because pages without a session request one by themselves and each link may open a
        // window.
        if (systemClock.monotonic() - linkGivenAt < BETWEEN_LINKS_MS) return
        linkGivenAt = systemClock.monotonic()
        announce(place.entryOf(terminal.sessions.mintLaunchToken(page), page))
      },
      allowedHosts: () => [place.host],
      ...(options.listen.kind === 'socket' ? { allowedOrigins: () => [SHELL_ORIGIN] } : {}),
      ...(seams ? { seams } : {}),
    }),
  )
  place = await listen(terminal.app, options.listen, log)
  // The stop function is set before the ready line, so that a stop request right after it is handled.
  stop = stopOf(() => terminal.close(), log)
  stopOnRequest(stop, options.exitWithStdin)
  announce(place.entryOf(terminal.sessions.mintLaunchToken(), '/'))
  terminal.start()
}

/**
 * Applies a due restore or rollback, then locks the data folder and opens it. Throws StartRefusedError with a message
 * for people when the folder or database cannot be used.
 */
async function onDataFolder(
  path: string,
  owner: FolderOwner,
  log: Logger,
  open: (folder: DataFolder) => Promise<RunningTerminal>,
): Promise<RunningTerminal> {
  let folder: DataFolder | null = null
  try {
    const key = readSealKey(process.env)
    const restored = applyRestore(path, key)
    if (restored !== null)
      log[restored.outcome === 'restored' ? 'warn' : 'error'](
        restored,
        'finished the restore that was requested at this lane',
      )
    // After a failed update, the previous program restores the copy of the database made before it, unless the lane has
    // written since.
    const back = rollBack(path, key)
    if (back.kind !== 'not-newer') log.warn(back, 'this database was written by a newer program')
    folder = lockDataFolder(path, key, owner)
    return await open(folder)
  } catch (error) {
    folder?.release()
    throw folderRefusal(path, error)
  }
}

/**
 * Prints a ready line on standard output. The parent process waits for the first one; another follows when a window
 * needs a launch link.
 */
const announce = (ready: object): void => {
  process.stdout.write(JSON.stringify(ready) + '\n')
}
