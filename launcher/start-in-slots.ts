import { spawn } from 'node:child_process'
import path from 'node:path'
import { runTrial, UNDER_ANOTHER } from '../electron/run-trial.ts'
import { UPDATE_EXIT_CODE } from '../electron/supervise.ts'
import type { Program } from './program.ts'
import { decideStart, type OwnSlots } from './slots-of.ts'

interface StartInSlots extends OwnSlots {
  readonly dataFolder: string
  readonly terminal: () => Promise<number>
  readonly askedToEnd: Promise<unknown>
  /** As they were given to `start`. */
  readonly args: readonly string[]
  readonly program: Program
}

/** This program's terminal, or the new version's while it is tried: the exit code. */
export async function startInSlots(options: StartInSlots): Promise<number> {
  const { slots, own, dataFolder, terminal, askedToEnd, args } = options
  const { say, log, language } = options.program
  const isUnderAnother = process.env[UNDER_ANOTHER] === '1'
  let isAsked = false
  void askedToEnd.then(() => (isAsked = true))
  const again = ['start', ...args, ...(language === null ? [] : ['--language', language])]
  for (;;) {
    const decision = await decideStart({ slots, own }, dataFolder)
    let code: number
    if (decision.kind === 'try') {
      log(say('update.tries', { version: decision.version }))
      const end = await runTrial({ slots, slot: decision.slot, args: again, askedToEnd })
      if (end.kind === 'failed') {
        if (isAsked) return 1
        log(say('update.tryFailed', { version: decision.version, why: say(`update.why.${end.why}`) }))
        continue
      }
      code = end.exit.code ?? 1
    } else {
      if (decision.wentBack !== null) log(say('update.wentBack', { version: decision.wentBack.version }))
      code = await terminal()
    }
    if (code !== UPDATE_EXIT_CODE || isUnderAnother) return code
    if (own !== slots.state().good) return startGood(slots.root, again)
  }
}

/** In the place of this program: its files are those of an older one by now. */
async function startGood(root: string, args: readonly string[]): Promise<number> {
  const { [UNDER_ANOTHER]: _, ...env } = process.env
  const starter = path.join(root, process.platform === 'win32' ? 'milepost.cmd' : 'milepost')
  if (process.execve) {
    process.execve(starter, [starter, ...args], Object.fromEntries(Object.entries(env).map(([k, v]) => [k, v ?? ''])))
  }
  spawn(starter, [...args], { detached: true, stdio: 'ignore', env, shell: process.platform === 'win32' }).unref()
  return 0
}
