import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { stringify, parse } from 'yaml'
import type { Devices } from '../../../../contracts/core/profile.ts'
import type { z } from 'zod'
import { temporaryFolder } from '../../../core/http/testing.ts'

/** For tests: the tool as a process, with a profile of its own. */
const EXAMPLE = join(import.meta.dirname, '../../../../stores/example.yaml')
const MAIN = join(import.meta.dirname, 'main.ts')

export interface RunningTool {
  /** Everything on standard output and standard error so far. */
  readonly said: () => string
  /** Resolves with what was said when it holds this, wherever it stands. */
  until(words: string | RegExp): Promise<string>
  /** Ctrl+C. */
  interrupt(): void
  readonly ended: Promise<number | null>
}

/** The example store's profile with these devices on its one lane. */
export function profileWith(devices: z.input<typeof Devices>, change: Readonly<Record<string, unknown>> = {}): string {
  const profile = parse(readFileSync(EXAMPLE, 'utf8')) as { lanes: { devices: unknown }[] }
  const file = join(temporaryFolder(), 'store.yaml')
  writeFileSync(file, stringify({ ...profile, lanes: profile.lanes.map((lane) => ({ ...lane, devices })), ...change }))
  return file
}

export function startTool(...args: readonly string[]): RunningTool {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8')
      wake()
    })
  let over = false
  const ended = once(child, 'close').then(([code]) => {
    over = true
    wake()
    return code as number | null
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    said: () => said,
    async until(words) {
      while (typeof words === 'string' ? !said.includes(words) : !words.test(said)) {
        if (over) throw new Error(`it ended and never said ${String(words)}: ${said}`)
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      }
      return said
    },
    interrupt() {
      child.kill('SIGINT')
    },
    ended,
  }
}

/** A network printer that answers like an ESC/POS printer, or says nothing; what it was sent. */
export async function plugPrinter(answers: boolean): Promise<{ readonly port: number; readonly paper: () => string }> {
  const sockets = new Set<Socket>()
  const jobs: Buffer[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      jobs.push(Buffer.from(chunk))
      if (!answers) return
      for (let at = 0; at < chunk.length; at += 1) {
        // DLE EOT n is answered at once; GS r 1 when everything before it was worked through.
        if (chunk[at] === 0x10 && chunk[at + 1] === 0x04) socket.write(Uint8Array.of(0x12))
        if (chunk[at] === 0x1d && chunk[at + 1] === 0x72) socket.write(Uint8Array.of(0x00))
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, paper: () => Buffer.concat(jobs).toString('latin1') }
}
