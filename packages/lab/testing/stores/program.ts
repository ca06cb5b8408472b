import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const Ending = z.object({ ending: z.unknown().refine((value) => value !== undefined) })

/** A program that says on its first line that it is ready, answers commands by lines, and ends with standard input. */
export interface Program {
  /** Its first line. Rejects with what it said where it ends before that. */
  readonly ready: Promise<unknown>
  /** One command after the other. */
  ask(command: string): Promise<unknown>
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** Ends it in order; rejects with what it said where it ends otherwise. */
  stop(): Promise<void>
  readonly pid: number
}

export function startProgram(args: readonly string[], env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-20_000)
  })
  // A program that was killed takes no more commands.
  child.stdin.on('error', () => undefined)
  const exited = once(child, 'exit').then(([code, signal]: unknown[]) => String(code ?? signal))
  const lines = createInterface({ input: child.stdout })
  const spoken = once(lines, 'line')
  spoken.catch(() => undefined)
  const ready = Promise.race([spoken, exited]).then(async (line): Promise<unknown> => {
    const first: unknown = typeof line === 'string' ? { ending: line } : JSON.parse(String(line[0]))
    // The first line of one that does not come up says how it ends.
    if (!Ending.safeParse(first).success) return first
    await exited
    throw new Error(`${args[0] ?? ''} ended: ${JSON.stringify(first)} ${said}`)
  })
  ready.catch(() => undefined)
  let turn: Promise<unknown> = Promise.resolve()
  const asked = async (command: string): Promise<unknown> => {
    const answered = once(lines, 'line')
    child.stdin.write(`${command}\n`)
    return JSON.parse(String((await answered)[0]))
  }
  return {
    ready,
    ask(command) {
      const answer = turn.then(() => asked(command))
      turn = answer.catch(() => undefined)
      return answer
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.stdin.end()
      const end = await exited
      if (end !== '0') throw new Error(`${args[0] ?? ''} ended with ${end}: ${said}`)
    },
    pid: child.pid ?? 0,
  }
}
