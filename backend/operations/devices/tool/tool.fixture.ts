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

const EXAMPLE = join(import.meta.dirname, '../../../../stores/example.yaml')
const MAIN = join(import.meta.dirname, 'main.ts')

export interface RunningTool {
  readonly output: () => string
  until(expected: string | RegExp): Promise<string>
  interrupt(): void
  readonly ended: Promise<number | null>
}

export function profileWith(devices: z.input<typeof Devices>, change: Readonly<Record<string, unknown>> = {}): string {
  const profile = parse(readFileSync(EXAMPLE, 'utf8')) as { lanes: { devices: unknown }[] }
  const file = join(temporaryFolder(), 'store.yaml')
  writeFileSync(file, stringify({ ...profile, lanes: profile.lanes.map((lane) => ({ ...lane, devices })), ...change }))
  return file
}

export function startTool(...args: readonly string[]): RunningTool {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
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
    output: () => output,
    async until(expected) {
      while (typeof expected === 'string' ? !output.includes(expected) : !expected.test(output)) {
        if (over) throw new Error(`it ended without the output ${String(expected)}: ${output}`)
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      }
      return output
    },
    interrupt() {
      child.kill('SIGINT')
    },
    ended,
  }
}

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
        // A printer answers DLE EOT n at once, and GS r 1 after it has processed everything before it.
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
