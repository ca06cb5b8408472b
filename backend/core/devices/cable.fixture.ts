import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../http/testing.ts'

export interface Cable {
  readonly path: string
  send(text: string): void
  unplug(): Promise<void>
  plug(): Promise<void>
}

export async function startCable(): Promise<Cable> {
  const path = join(temporaryFolder(), 'port')
  const hold = async () => {
    const child = spawn('socat', ['-d', '-d', `PTY,link=${path},raw,echo=0`, 'STDIO'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    child.stdin.on('error', () => undefined)
    let output = ''
    const flowing = Promise.withResolvers<void>()
    // Reading stderr continues, because socat ends when it cannot write to stderr.
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString('latin1')
      if (output.includes('starting data transfer loop')) flowing.resolve()
    })
    const ended = once(child, 'close').then(() => {
      throw new Error(`socat ended: ${output}`)
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
