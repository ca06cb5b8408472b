import type { AwaitedWork, CommandAnswer, StoredWork } from '../../../backend/core/command-channel.ts'
import type { Tx } from '../../../backend/core/db/transact.ts'
import { ProblemError } from '../../../backend/core/problem.ts'
import type { SeededRng } from './rng.ts'
import type { Run } from './terminal.ts'
import type { World } from './world.ts'

export interface DriverOptions {
  readonly world: World
  readonly rng: SeededRng
  readonly pauseMs: () => number
  readonly running: () => Promise<Run>
  readonly restart: () => void
  readonly note: (line: string) => void
  readonly between: () => void
  readonly onResponse: (key: string, body: string) => void
}

/** A command that a window sends under one idempotency key until it gets a response. */
export interface Command<Result> {
  readonly requestFields: readonly string[]
  /**
   * Runs the command. `storeKey` stores the idempotency key in the transaction that writes the intent of an operation
   * that finishes later.
   */
  readonly work: (run: Run, storeKey: (tx: Tx) => void) => Result | Promise<Result>
  readonly interrupted?: (run: Run) => Result
}

const SENDER = { window: 'W', staffId: null }

export const TERMINAL_ENDED = Symbol('the terminal is gone')
/** Result of a command that the terminal ran, but whose response is lost. */
const RESPONSE_LOST = Symbol('the response is lost')

export type WindowDriver = ReturnType<typeof createWindowDriver>

/**
 * Drives a window: each command has its idempotency key, is sometimes sent twice, and sometimes loses its response. It
 * is repeated under its key after a lost response, and usually after a restart.
 */
export function createWindowDriver(options: DriverOptions) {
  const { world, rng, note } = options

  /** Runs one action on the terminal. Crashes and refusals are expected results of it. */
  async function act<Result>(
    what: string,
    work: (run: Run) => Result | Promise<Result>,
  ): Promise<Result | typeof TERMINAL_ENDED | ProblemError> {
    options.between()
    await world.sleep(options.pauseMs())
    const run = await options.running()
    try {
      const done = await Promise.race([
        Promise.resolve(work(run)),
        run.over.then((): typeof TERMINAL_ENDED => TERMINAL_ENDED),
      ])
      note(`${what}${done === TERMINAL_ENDED ? ': the terminal ended' : ''}`)
      return done
    } catch (error) {
      if (!run.alive) {
        note(`${what}: the terminal ended`)
        return TERMINAL_ENDED
      }
      if (!(error instanceof ProblemError)) throw error
      note(`${what}: ${error.code}`)
      if (error.code === 'storage-failed') options.restart()
      return error
    }
  }

  async function perform<Result>(run: Run, key: string, command: Command<Result>): Promise<Result> {
    const recordEffect = (): void => {
      run.watch.db.prepare('INSERT INTO effect_seen (key) VALUES (?)').run(key)
    }
    const answerOf = (result: Result): CommandAnswer => ({ status: 200, body: JSON.stringify(result ?? null) })
    const { interrupted } = command
    const work: StoredWork | AwaitedWork = interrupted
      ? {
          kind: 'awaited',
          run: async (storeKey) =>
            answerOf(
              await command.work(run, (tx) => {
                recordEffect()
                storeKey(tx)
              }),
            ),
          interrupted: () => answerOf(interrupted(run)),
        }
      : {
          kind: 'stored',
          run() {
            recordEffect()
            return answerOf(command.work(run, () => undefined) as Result)
          },
        }
    const { body } = await run.commands.perform({ key, requestFields: command.requestFields, client: SENDER }, work)
    if (run.alive && !interrupted) options.onResponse(key, body ?? '')
    return JSON.parse(body ?? 'null') as Result
  }

  async function once<Result>(run: Run, key: string, command: Command<Result>): Promise<Result | typeof RESPONSE_LOST> {
    const asked = perform(run, key, command)
    if (rng.onceIn(8))
      perform(run, key, command).catch((error: unknown) => {
        if (run.alive && !(error instanceof ProblemError)) throw error
      })
    const result = await asked
    return rng.onceIn(6) ? RESPONSE_LOST : result
  }

  /** Runs one command that is planned from the terminal’s screen; returns null if no command is planned. */
  async function ask<Result>(
    what: string,
    plan: (run: Run) => Command<Result> | null,
  ): Promise<Result | null | typeof TERMINAL_ENDED | ProblemError> {
    const key = rng.uuid()
    const planned: { command: Command<Result> | null } = { command: null }
    let outcome = await act(what, (run) => {
      planned.command = plan(run)
      return planned.command && once(run, key, planned.command)
    })
    const { command } = planned
    while (command && (outcome === RESPONSE_LOST || (outcome === TERMINAL_ENDED && !rng.onceIn(3))))
      outcome = await act(`${what}, repeated under its key`, (run) => once(run, key, command))
    return outcome === RESPONSE_LOST ? null : outcome
  }

  return { act, ask }
}
