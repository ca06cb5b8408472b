import type { AwaitedWork, CommandAnswer, StoredWork } from '../../../backend/core/command-channel.ts'
import type { Tx } from '../../../backend/core/db/transact.ts'
import { ProblemError } from '../../../backend/core/problem.ts'
import type { SeededRng } from './rng.ts'
import type { Run } from './terminal.ts'
import type { World } from './world.ts'

export interface HandOptions {
  readonly world: World
  readonly rng: SeededRng
  /** How long it waits before its next action. */
  readonly pauseMs: () => number
  /** The terminal, as soon as it runs again. */
  readonly running: () => Promise<Run>
  /** The terminal takes no money any more: the cashier calls for a restart. */
  readonly restart: () => void
  readonly note: (line: string) => void
  /** Between two actions: here the world may send an outage or set the clock. */
  readonly between: () => void
  /** What the window was answered of a command. */
  readonly answered: (key: string, body: string) => void
}

/** What a window asks for under one key, until it is answered. */
export interface Command<Result> {
  readonly parts: readonly string[]
  /** `claim` commits with the intent of what ends later. */
  readonly work: (run: Run, claim: (tx: Tx) => void) => Result | Promise<Result>
  /** What it answers when a restart cut it off. */
  readonly interrupted?: (run: Run) => Result
}

/** There is one window, at which one person stays. */
const ASKER = { window: 'W', staffId: null }

/** What the cashier finds when the terminal went down under their hands. */
export const GONE = Symbol('the terminal is gone')
/** The terminal has done it, and its answer did not come. */
const LOST = Symbol('the answer is lost')

export type Hand = ReturnType<typeof createHand>

/**
 * A hand at a window: each command has its key, is sent twice at times, loses its answer, and is asked again under its
 * key when the terminal is back.
 */
export function createHand(options: HandOptions) {
  const { world, rng, note } = options

  /** One action on the terminal as it stands; a crash or a refusal is nothing that a cashier would not meet. */
  async function act<Result>(
    what: string,
    work: (run: Run) => Result | Promise<Result>,
  ): Promise<Result | typeof GONE | ProblemError> {
    options.between()
    await world.sleep(options.pauseMs())
    const run = await options.running()
    try {
      const done = await Promise.race([Promise.resolve(work(run)), run.over.then((): typeof GONE => GONE)])
      note(`${what}${done === GONE ? ': the terminal went down' : ''}`)
      return done
    } catch (error) {
      if (!run.alive) {
        note(`${what}: the terminal went down`)
        return GONE
      }
      if (!(error instanceof ProblemError)) throw error
      note(`${what}: ${error.code}`)
      if (error.code === 'storage-failed') options.restart()
      return error
    }
  }

  async function perform<Result>(run: Run, key: string, command: Command<Result>): Promise<Result> {
    const see = (): void => {
      run.watch.db.prepare('INSERT INTO effect_seen (key) VALUES (?)').run(key)
    }
    const told = (result: Result): CommandAnswer => ({ status: 200, body: JSON.stringify(result ?? null) })
    const { interrupted } = command
    const work: StoredWork | AwaitedWork = interrupted
      ? {
          kind: 'awaited',
          run: async (claim) =>
            told(
              await command.work(run, (tx) => {
                see()
                claim(tx)
              }),
            ),
          interrupted: () => told(interrupted(run)),
        }
      : {
          kind: 'stored',
          run() {
            see()
            return told(command.work(run, () => undefined) as Result)
          },
        }
    const { body } = await run.commands.perform({ key, parts: command.parts, asker: ASKER }, work)
    if (run.alive && !interrupted) options.answered(key, body ?? '')
    return JSON.parse(body ?? 'null') as Result
  }

  /** Answers are lost, and requests come twice; a window that is there when the terminal is back asks once more. */
  async function once<Result>(run: Run, key: string, command: Command<Result>): Promise<Result | typeof LOST> {
    const asked = perform(run, key, command)
    if (rng.onceIn(8))
      perform(run, key, command).catch((error: unknown) => {
        if (run.alive && !(error instanceof ProblemError)) throw error
      })
    const result = await asked
    return rng.onceIn(6) ? LOST : result
  }

  /** One command, by what the terminal shows when the hand is there; null where there is nothing to do. */
  async function ask<Result>(
    what: string,
    plan: (run: Run) => Command<Result> | null,
  ): Promise<Result | null | typeof GONE | ProblemError> {
    const key = rng.uuid()
    const planned: { command: Command<Result> | null } = { command: null }
    let outcome = await act(what, (run) => {
      planned.command = plan(run)
      return planned.command && once(run, key, planned.command)
    })
    const { command } = planned
    while (command && (outcome === LOST || (outcome === GONE && !rng.onceIn(3))))
      outcome = await act(`${what}, again under its key`, (run) => once(run, key, command))
    return outcome === LOST ? null : outcome
  }

  return { act, ask }
}
