import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { start } from '../../packages/lab/rig/process.ts'

export interface Subject<Round> {
  readonly pid: number
  round(): Promise<Round>
  stop(): Promise<void>
}

const ENDS_WITHIN_MS = 5_000
const PROGRAM = 'packages/lab/testing/load/main.ts'

export async function openSubject<Round>(
  folder: string,
  task: object,
  options: readonly string[] = [],
): Promise<Subject<Round>> {
  const { child, stop, log } = await start([...options, PROGRAM, folder, JSON.stringify(task)])
  const { stdin, stdout, pid } = child
  if (!stdin || !stdout || pid === undefined) throw new Error('the program under load has no standard streams')
  const lines = createInterface({ input: stdout })
  return {
    pid,
    // The process cleans up at the end of its standard input, and is killed if it hangs in a round.
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        stdin.end()
        await Promise.race([exited, pause(ENDS_WITHIN_MS, undefined, { ref: false })])
      }
      await stop()
    },
    round: () =>
      new Promise((resolve, reject) => {
        const gone = (): void => {
          reject(new Error(`the program under load ended:\n${log()}`))
        }
        child.once('exit', gone)
        lines.once('line', (line) => {
          child.off('exit', gone)
          resolve(JSON.parse(line) as Round)
        })
        stdin.write('\n')
      }),
  }
}
