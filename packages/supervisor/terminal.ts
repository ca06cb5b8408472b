import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { type LaneWindow, lockFolder } from './folder-lock.ts'
import { logLine, LOG_TEXTS } from '../../contracts/core/log-fields.ts'
import { formatRefusal, type RefusalTexts, type Sentence } from '../../contracts/core/refusal.ts'
import { openLog } from './log-files.ts'
import { AlreadyOpen, folderRefusal, TerminalRefused } from './terminal-refused.ts'
import type { Exit, Launch } from './service.ts'
import { RESTART_EXIT_CODE, ServiceFailure, type Supervised, supervise } from './supervise.ts'

const CentralReady = z.object({
  url: z.url(),
  tokenUrl: z.url(),
  memberSignInUrl: z.url().optional(),
  revocationUrl: z.url().optional(),
  issuer: z.url().optional(),
  controlUrl: z.url(),
  clientId: z.string(),
  clientSecret: z.string(),
})
export type CentralReady = z.infer<typeof CentralReady>

/**
 * The backend’s ready message: an address on the loopback interface, or inside Electron a socket and the launch token.
 */
const BackendReady = z.union([
  z.object({ url: z.url(), launchUrl: z.url() }),
  z.object({ socket: z.string(), launchToken: z.string() }),
])
export type BackendReady = z.infer<typeof BackendReady>

export interface TerminalOptions {
  readonly mode: 'production' | 'training'
  readonly profileFile: () => string
  readonly onProfileUp?: () => void
  readonly otherProfileAfter?: (failure: ServiceFailure) => boolean
  readonly dataFolder: string
  readonly lane: string
  readonly listen: { readonly kind: 'port'; readonly port: number } | { readonly kind: 'socket'; readonly path: string }
  readonly backendMain: string
  readonly centralMain: string
  readonly services?: CentralReady
  readonly staticFolder: string | null
  readonly launch: Launch
  readonly secrets: Readonly<Record<string, string>>
  readonly log: (line: string) => void
  readonly messages?: RefusalTexts | undefined
  readonly onBackendAgain?: (ready: BackendReady) => void
  /**
   * Called with lines of the backend’s standard error that are for people; its log lines are JSON and stay in the log.
   */
  readonly onBackendMessage?: (line: string) => void
  readonly onFreshLink?: (ready: BackendReady) => void
  readonly window?: LaneWindow
  readonly backoffMs?: (attempt: number) => number
}

export interface RunningTerminal {
  readonly backend: BackendReady
  readonly failed: Promise<ServiceFailure>
  pids(): { readonly backend: number | undefined; readonly central: number | undefined }
  stop(): Promise<void>
}

/**
 * Starts all processes of a lane except its window, and keeps them running: in training the reference services, then
 * the backend. The launcher, `npm start` and the Electron shell all start a terminal here. Rejects with
 * TerminalRefused.
 */
export async function startTerminal(options: TerminalOptions): Promise<RunningTerminal> {
  const lock = await lockFolder(options.dataFolder, { window: options.window, bringWindowToFront: true })
  if ('heldBy' in lock) {
    if (lock.hasWindow) throw new AlreadyOpen(lock.heldBy)
    throw new TerminalRefused(
      `Another Milepost terminal (process ${lock.heldBy}) is already running on the data folder ` +
        `${options.dataFolder}. Use its window, or start this one with another --data folder.`,
      3,
    )
  }
  const logs = path.join(options.dataFolder, 'logs')
  let central: Supervised<CentralReady> | null = null
  try {
    mkdirSync(logs, { recursive: true, mode: 0o700 })
    const isWithOwn = options.mode === 'training' && options.services === undefined
    central = isWithOwn ? await superviseCentral(options, logs) : null
    const ready = options.services ?? central?.ready ?? null
    const backend = await retryWhileInUse(() =>
      superviseBackend(options, ready, logs, reportRestarts('backend', options)),
    )
    const services = central === null ? [backend] : [backend, central]
    return {
      backend: backend.ready,
      failed: Promise.race(services.map((service) => service.failed)).then(withMessages),
      pids: () => ({ backend: backend.pid(), central: central?.pid() }),
      stop: async () => {
        for (const service of services) await service.stop()
        await lock.release()
      },
    }
  } catch (error) {
    await central?.stop()
    await lock.release()
    throw error instanceof ServiceFailure ? refusal(error, logs) : folderRefusal(options.dataFolder, error)
  }
}

export type ServicesOptions = Pick<TerminalOptions, 'centralMain' | 'dataFolder' | 'launch' | 'log' | 'messages'>

/** Starts training services that several lanes share. Rejects with TerminalRefused. */
export async function startServices(options: ServicesOptions): Promise<Supervised<CentralReady>> {
  const logs = path.join(options.dataFolder, 'logs')
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  try {
    return await superviseCentral(options, logs)
  } catch (error) {
    throw error instanceof ServiceFailure ? refusal(error, logs) : error
  }
}

export const reportRestarts =
  (
    name: 'backend' | 'trainingServices' | 'storeServer',
    { log, messages: words }: Pick<TerminalOptions, 'log' | 'messages'>,
  ) =>
  (exit: Exit, delayMs: number): void => {
    const program = { textKey: name }
    const how = exit.signal ?? `code ${exit.code}`
    const message: Sentence =
      exit.code === RESTART_EXIT_CODE
        ? ['programRestarts', { program }]
        : ['programEnded', { program, how, seconds: delayMs / 1000 }]
    log(formatRefusal([message], words))
  }

const STILL_CLOSING_MS = 5_000
const RETRY_MS = 250

/**
 * Retries for several seconds while the backend finds its database in use (exit code 3). This process has the data
 * folder’s lock, so only the backend of a killed terminal can still be ending.
 */
async function retryWhileInUse<T>(start: () => Promise<T>): Promise<T> {
  for (const startedAt = performance.now(); ;) {
    try {
      return await start()
    } catch (error) {
      if (
        !(error instanceof ServiceFailure) ||
        error.exit?.code !== 3 ||
        performance.now() - startedAt > STILL_CLOSING_MS
      )
        throw error
      await new Promise((resolve) => {
        setTimeout(resolve, RETRY_MS)
      })
    }
  }
}

const isMessage = (line: string): boolean => line.trim() !== '' && !line.startsWith('{')

const withMessages = ({ message, exit, lastLines }: ServiceFailure): ServiceFailure =>
  new ServiceFailure([message, ...lastLines.filter(isMessage)].join('\n'), exit, lastLines)

function refusal(failure: ServiceFailure, logs: string): TerminalRefused {
  const messages = failure.lastLines.filter(isMessage)
  const code = failure.exit?.code ?? 1
  if ([2, 3, 4].includes(code) && messages.length > 0) return new TerminalRefused(messages.join('\n'), code)
  return new TerminalRefused([failure.message, ...messages, `The log is in ${logs}.`].join('\n'), code === 0 ? 1 : code)
}

/**
 * Removes the socket file that a killed backend left and that would block the next one. This process has the data
 * folder’s lock, so no process listens on the socket.
 */
function removeSocket(listen: TerminalOptions['listen']): void {
  if (listen.kind === 'socket' && process.platform !== 'win32') rmSync(listen.path, { force: true })
}

const portOf = (url: string | undefined): string => (url === undefined ? '0' : new URL(url).port)

function superviseCentral(options: ServicesOptions, logs: string): Promise<Supervised<CentralReady>> {
  return supervise<CentralReady>({
    name: 'training services',
    launch: (previous) =>
      options.launch({
        script: options.centralMain,
        // The services get the same ports after a restart, because the backend got their addresses when it started.
        args: [
          '--port',
          portOf(previous?.url),
          '--control-port',
          portOf(previous?.controlUrl),
          '--data',
          path.join(options.dataFolder, 'central'),
          '--seed',
          '7',
        ],
        env: {},
      }),
    parseReady: (line) => CentralReady.parse(JSON.parse(line)),
    onLine: openLog(path.join(logs, 'central.log')),
    onRestart: reportRestarts('trainingServices', options),
  })
}

function superviseBackend(
  options: TerminalOptions,
  central: CentralReady | null,
  logs: string,
  onRestart: (exit: Exit, delayMs: number) => void,
): Promise<Supervised<BackendReady>> {
  const fixed = [
    '--data',
    options.dataFolder,
    '--lane',
    options.lane,
    ...(options.staticFolder === null ? [] : ['--static', options.staticFolder]),
    ...(central === null
      ? []
      : [
          '--central-json',
          JSON.stringify({
            url: central.url,
            tokenUrl: central.tokenUrl,
            memberSignInUrl: central.memberSignInUrl,
            revocationUrl: central.revocationUrl,
            issuer: central.issuer,
            controlUrl: central.controlUrl,
            clientId: central.clientId,
          }),
        ]),
  ]
  const where = (previous: BackendReady | null): string[] => {
    if (options.listen.kind === 'socket') return ['--socket', options.listen.path]
    if (previous === null || !('url' in previous)) return ['--port', String(options.listen.port)]
    // The backend gets the same address after a restart, because its windows expect it. If another program uses the
    // address, the windows are opened again.
    return ['--port', new URL(previous.url).port, '--or-another-port']
  }
  const toLog = openLog(path.join(logs, 'backend.log'))
  return supervise<BackendReady>({
    name: 'backend',
    launch: (previous) => {
      removeSocket(options.listen)
      return options.launch({
        script: options.backendMain,
        args: ['--profile', options.profileFile(), ...fixed, ...where(previous)],
        env: central === null ? options.secrets : { MILEPOST_CLIENT_SECRET: central.clientSecret },
      })
    },
    parseReady: (line) => BackendReady.parse(JSON.parse(line)),
    onLine: (line) => {
      toLog(line)
      if (isMessage(line)) options.onBackendMessage?.(line)
    },
    onRestart: (exit, delayMs) => {
      if (exit.code !== RESTART_EXIT_CODE) toLog(logLine('error', LOG_TEXTS.ended, new Date(), { ...exit, delayMs }))
      onRestart(exit, delayMs)
    },
    ...(options.backoffMs === undefined ? {} : { backoffMs: options.backoffMs }),
    ...(options.onProfileUp === undefined ? {} : { onUp: options.onProfileUp }),
    ...(options.otherProfileAfter === undefined ? {} : { otherAfter: options.otherProfileAfter }),
    ...(options.onFreshLink === undefined ? {} : { onAnotherReady: options.onFreshLink }),
    ...(options.onBackendAgain === undefined ? {} : { onReadyAgain: options.onBackendAgain }),
  })
}
