import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { access, open } from 'node:fs/promises'
import { waitForOutput } from './wait-for-output.ts'

/**
 * Two pseudo-terminals joined by socat: the lane opens `path`, and the test writes the bytes that a device would send.
 */
export interface Wire {
  readonly path: string
  send(bytes: string): Promise<void>
  close(): Promise<void>
}

/** Joins two pseudo-terminals; `base` is a path that no other wire uses. */
export async function openWire(base: string): Promise<Wire> {
  const near = `${base}-near`
  const far = `${base}-far`
  const socat = spawn('socat', ['-d', '-d', `pty,rawer,link=${near}`, `pty,rawer,link=${far}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await waitForOutput(socat, /starting data transfer loop/)
  await access(near)
  // O_NOCTTY: a session leader must not get the wire as its controlling terminal, or its hang-up would end the process.
  const handle = await open(far, constants.O_RDWR | constants.O_NOCTTY)
  const device = handle.createWriteStream()
  return {
    path: near,
    send: (bytes) =>
      new Promise((resolve, reject) => {
        device.write(Buffer.from(bytes, 'latin1'), (error) => {
          if (error) reject(error)
          else resolve()
        })
      }),
    async close() {
      device.destroy()
      const exited = once(socat, 'exit')
      socat.kill()
      await exited
    },
  }
}
