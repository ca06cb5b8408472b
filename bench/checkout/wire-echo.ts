import { SerialPort } from 'serialport'
import type { Wire } from '../../e2e/pty.ts'
import { now } from './clock.ts'

export interface WireEcho {
  measure(bytes: string): Promise<number>
  close(): Promise<void>
}

export async function openWireEcho(wire: Wire): Promise<WireEcho> {
  const port = new SerialPort({ path: wire.path, baudRate: 9600, autoOpen: false })
  await new Promise<void>((resolve, reject) => {
    port.open((error) => {
      if (error) reject(error)
      else resolve()
    })
  })
  port.on('error', () => undefined)
  return {
    async measure(bytes) {
      const arrived = new Promise<number>((resolve) => {
        let missing = bytes.length
        const take = (chunk: Buffer): void => {
          missing -= chunk.length
          if (missing > 0) return
          port.off('data', take)
          resolve(now())
        }
        port.on('data', take)
      })
      const began = now()
      await wire.send(bytes)
      return (await arrived) - began
    },
    close: () =>
      new Promise((resolve) => {
        port.close(() => {
          resolve()
        })
      }),
  }
}
