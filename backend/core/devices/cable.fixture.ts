import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../http/testing.ts'

/** A pseudo-terminal held by socat: a cable that can be unplugged and plugged in again at the same path. */
export interface Cable {
  readonly path: string
  send(text: string): void
  unplug(): Promise<void>
  plug(): Promise<void>
}

/** A cable for as long as the test lasts. */
export async function layCable(): Promise<Cable> {
  const path = join(temporaryFolder(), 'port')
  const hold = async () => {
    const child = spawn('socat', ['-d', '-d', `PTY,link=${path},raw,echo=0`, 'STDIO'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    child.stdin.on('error', () => undefined)
    let said = ''
    const flowing = Promise.withResolvers<void>()
    // Heard to its end: one that nobody listens to dies of its next line.
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1')
      if (said.includes('starting data transfer loop')) flowing.resolve()
    })
    const ended = once(child, 'close').then(() => {
      throw new Error(`socat ended: ${said}`)
    })
    await Promise.race([flowing.promise, ended])
    return child
  }
  let socat = await hold()
  async function unplug(): Promise<void> {
    if (socat.exitCode !== null || socat.signalCode !== null) return
    const gone = once(socat, 'exit')
    socat.kill('SIGKILL')
    await gone
    // Killed outright, socat leaves its link behind, as no real device does.
    rmSync(path, { force: true })
  }
  onTestFinished(unplug)
  return {
    path,
    send: (text) => {
      socat.stdin.write(Buffer.from(text, 'latin1'))
    },
    unplug,
    plug: async () => {
      socat = await hold()
    },
  }
}
