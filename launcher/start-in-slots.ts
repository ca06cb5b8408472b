import { spawn } from 'node:child_process'
import path from 'node:path'
import { untilOwnTurn, type OwnSlots, type TrialNews } from '../electron/own-slots.ts'
import { UNDER_ANOTHER, type TrialOptions } from '../electron/run-trial.ts'
import { UPDATE_EXIT_CODE } from '../electron/supervise.ts'
import type { Program } from './program.ts'

export interface StartInSlots extends OwnSlots, Pick<TrialOptions, 'askedToEnd' | 'patienceMs' | 'stopMs'> {
  readonly dataFolder: string
  readonly terminal: () => Promise<number>
  /** As they were given to `start`. */
  readonly args: readonly string[]
  readonly program: Program
}

/** This program's terminal, or the new version's while it is tried: the exit code. */
export async function startInSlots(options: StartInSlots): Promise<number> {
  const { slots, own, terminal, program } = options
  const args = ['start', ...options.args, ...(program.language === null ? [] : ['--language', program.language])]
  for (;;) {
    const code = (await untilOwnTurn({ ...options, args, news: newsOf(program) })) ?? (await terminal())
    // Whoever watches this one starts the good one anew.
    if (code !== UPDATE_EXIT_CODE || process.env[UNDER_ANOTHER] === '1') return code
    if (own !== slots.state().good) return startGood(slots.root, args)
  }
}

const newsOf = ({ say, log }: Program): TrialNews => ({
  tries: (version) => log(say('update.tries', { version })),
  failed: (version, why) => log(say('update.tryFailed', { version, why: say(`update.why.${why}`) })),
  wentBack: (version) => log(say('update.wentBack', { version })),
  notNoted: (why) => log(say('update.notNoted', { why })),
})

/** In the place of this program: its files are those of an older one by now. */
function startGood(root: string, args: readonly string[]): number {
  const { [UNDER_ANOTHER]: _, ...env } = process.env
  const isWindows = process.platform === 'win32'
  const starter = path.join(root, isWindows ? 'milepost.cmd' : 'milepost')
  if (!isWindows && process.execve) {
    const named = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? '']))
    process.execve(starter, [starter, ...args], named)
  }
  spawn(starter, [...args], { detached: true, stdio: 'ignore', env, shell: isWindows }).unref()
  return 0
}
