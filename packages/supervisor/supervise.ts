import { createInterface } from 'node:readline'
import { readEnding } from '../../contracts/core/program.ts'
import type { Exit, ServiceProcess } from './service.ts'

/** It ended in order, to be started again at once. */
export const RESTART_EXIT_CODE = 10
/** It ended in order, so that the program is started anew as a whole: another version is due. */
export const UPDATE_EXIT_CODE = 11

/**
 * Ends of a process that another start of it cannot mend: bad arguments or profile (2), data folder held by another
 * terminal (3), data missing that was there (4), another version due.
 */
const FINAL_EXIT_CODES: ReadonlySet<number | null> = new Set([2, 3, 4, UPDATE_EXIT_CODE])

export interface SuperviseOptions<Ready> {
  /** For messages: "backend", "central services". */
  readonly name: string
  /**
   * Starts the process. `previous` is what it said when it was last ready, so that it can be given the same port again.
   */
  readonly launch: (previous: Ready | null) => ServiceProcess
  /** Reads the one JSON line that the process prints on standard output when it is ready. Throws on anything else. */
  readonly parseReady: (line: string) => Ready
  /** Every line of standard error, in order. */
  readonly onLine?: (line: string) => void
  /** It ended although nobody asked for it, and starts again after `delayMs`. */
  readonly onRestart?: (exit: Exit, delayMs: number) => void
  /** It is ready, at each of its starts. */
  readonly onUp?: () => void
  /** It ended before it was ready. True: another start at once would be given other arguments. */
  readonly otherAfter?: (failure: ServiceFailure) => boolean
  /** It is ready again after a restart. */
  readonly onReadyAgain?: (ready: Ready) => void
  /** It said more on standard output after it was ready, in the same words: another way in. */
  readonly onSaidMore?: (ready: Ready) => void
  readonly readyTimeoutMs?: number
  readonly stopTimeoutMs?: number
  /** So long may a process take to end after it has said that it does. */
  readonly endingTimeoutMs?: number
  /** Wait before restart number n (from 0), in milliseconds. */
  readonly backoffMs?: (attempt: number) => number
  /** Up for this long, the next end counts as the first again. */
  readonly steadyMs?: number
}

export interface Supervised<Ready> {
  readonly ready: Ready
  /** Settles when the process has ended for good and nobody asked it to. */
  readonly failed: Promise<ServiceFailure>
  readonly pid: () => number | undefined
  /** Stops the process and waits for its end. Safe to call twice. */
  stop(): Promise<void>
}

/** A supervised process that did not come up, or ended in a way that a restart cannot mend. */
export class ServiceFailure extends Error {
  readonly exit: Exit | null
  /** What it last wrote on standard error, newest last. */
  readonly lastLines: readonly string[]
  constructor(message: string, exit: Exit | null, lastLines: readonly string[]) {
    super(message)
    this.name = 'ServiceFailure'
    this.exit = exit
    this.lastLines = lastLines
  }
}

const describeExit = (exit: Exit): string => (exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`)
const doubling = (attempt: number): number => Math.min(250 * 2 ** attempt, 10_000)

/**
 * How a process ended. One that has said so and hangs is killed, and ended as it said. `onLine` is given every other
 * line of its standard output.
 */
function exitOf(child: ServiceProcess, timeoutMs: number, onLine: (line: string) => void): Promise<Exit> {
  let said: number | null = null
  let timer: NodeJS.Timeout | undefined
  createInterface({ input: child.stdout }).on('line', (line) => {
    const code = readEnding(line)
    if (code === null) {
      onLine(line)
      return
    }
    said = code
    timer = setTimeout(() => child.kill(), timeoutMs)
  })
  return child.exited.then((exit) => {
    clearTimeout(timer)
    return said === null ? exit : { code: said, signal: null }
  })
}

/**
 * Starts a process, waits until it says that it is ready, and keeps it running until `stop`.
 * A first start that fails is not repeated: whoever started it is still there to read why. Rejects with a
 * ServiceFailure.
 */
export async function supervise<Ready>(options: SuperviseOptions<Ready>): Promise<Supervised<Ready>> {
  const { name, backoffMs = doubling, readyTimeoutMs = 300_000, stopTimeoutMs = 10_000, steadyMs = 30_000 } = options
  const { endingTimeoutMs = 5_000 } = options
  const lastLines: string[] = []
  const failure = Promise.withResolvers<ServiceFailure>()
  const wake = Promise.withResolvers<void>()
  let stopping = false
  let current: ServiceProcess
  let currentExit: Promise<Exit>

  const notifyMore = (line: string): void => {
    let more: Ready
    try {
      more = options.parseReady(line)
    } catch {
      // Whatever else a program prints is nobody's address.
      return
    }
    options.onSaidMore?.(more)
  }

  const beginOnce = async (previous: Ready | null): Promise<Ready> => {
    lastLines.length = 0
    const child = options.launch(previous)
    let isReady = false
    const first = Promise.withResolvers<string>()
    const exited = exitOf(child, endingTimeoutMs, (line) => {
      if (isReady) notifyMore(line)
      isReady = true
      first.resolve(line)
    })
    current = child
    currentExit = exited
    if (stopping) child.stop()
    createInterface({ input: child.stderr }).on('line', (line) => {
      lastLines.push(line)
      if (lastLines.length > 20) lastLines.shift()
      options.onLine?.(line)
    })
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(resolve, readyTimeoutMs, 'timeout')
    })
    const outcome = await Promise.race([first.promise.then((line) => ({ line })), exited, timeout])
    clearTimeout(timer)
    if (outcome === 'timeout') {
      child.kill()
      await exited
      throw new ServiceFailure(`The ${name} did not become ready within ${readyTimeoutMs / 1000} s.`, null, [
        ...lastLines,
      ])
    }
    if (!('line' in outcome))
      throw new ServiceFailure(`The ${name} ended before being ready (${describeExit(outcome)}).`, outcome, [
        ...lastLines,
      ])
    try {
      return options.parseReady(outcome.line)
    } catch {
      child.kill()
      await exited
      throw new ServiceFailure(`The ${name} said something else than its address when it was ready.`, null, [
        ...lastLines,
      ])
    }
  }

  /** Where other arguments do no better, the first failure is the one to be told. */
  const begin = async (previous: Ready | null): Promise<Ready> => {
    let first: ServiceFailure | null = null
    for (;;) {
      try {
        const ready = await beginOnce(previous)
        options.onUp?.()
        return ready
      } catch (error) {
        if (!(error instanceof ServiceFailure)) throw error
        if (stopping || options.otherAfter?.(error) !== true) throw first ?? error
        first ??= error
      }
    }
  }

  const keepRunning = async (ready: Ready): Promise<void> => {
    let attempt = 0
    let since = performance.now()
    let exit = await currentExit
    while (!stopping) {
      if (FINAL_EXIT_CODES.has(exit.code)) {
        failure.resolve(
          new ServiceFailure(`The ${name} ended and cannot start again (${describeExit(exit)}).`, exit, [...lastLines]),
        )
        return
      }
      if (performance.now() - since >= steadyMs) attempt = 0
      const delayMs = exit.code === RESTART_EXIT_CODE ? 0 : backoffMs(attempt++)
      options.onRestart?.(exit, delayMs)
      let timer: NodeJS.Timeout | undefined
      await Promise.race([
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, delayMs)
        }),
        wake.promise,
      ])
      clearTimeout(timer)
      if (stopping) return
      since = performance.now()
      try {
        const again = await begin(ready)
        options.onReadyAgain?.(again)
        exit = await currentExit
      } catch (error) {
        exit = error instanceof ServiceFailure && error.exit !== null ? error.exit : await currentExit
      }
    }
  }

  const ready = await begin(null)
  const watching = keepRunning(ready)
  return {
    ready,
    failed: failure.promise,
    pid: () => current.pid,
    stop: async () => {
      stopping = true
      wake.resolve()
      current.stop()
      const child = current
      const timer = setTimeout(() => child.kill(), stopTimeoutMs)
      await watching
      await currentExit
      clearTimeout(timer)
    },
  }
}
