import { constants } from 'node:fs'
import { access, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { PrinterConnection } from '../../contracts/core/profile.ts'
import type { Health } from '../device.ts'
import { type ByteChannel, reasonOf, within, WireError } from '../serial/channel.ts'
import { Line } from '../serial/line.ts'
import { openTcpChannel, type TcpAddress } from '../serial/tcp-channel.ts'
import type { JobWire } from './job.ts'
import type { PrinterTalk } from './talk.ts'

const CONNECT_MS = 3_000
/** A printer takes one connection at a time: another lane's job may be on it. */
const CONNECT_AGAIN_MS = 250
const FILE_WRITE_MS = 10_000

/** How jobs reach a printer: over a connection of their own, over a port that stays open, or into a file. */
export interface PrinterWire {
  /** False where asking for status makes no sense (a file). */
  readonly asks: boolean
  /** True where the wire stays open between jobs, so that the printer can speak up by itself. */
  readonly stays: boolean
  /** Time that the wire itself needs for this many bytes, in milliseconds. */
  transferMs(bytes: number): number
  /**
   * Lends the wire to one job. Rejects with a WireError before `use` runs when there is no wire. `patient`: keep trying
   * to connect for a while.
   */
  lend<T>(patient: boolean, use: (wire: JobWire) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function tcpWire(address: TcpAddress, talk: PrinterTalk): PrinterWire {
  let current: ByteChannel | null = null
  async function connect(patient: boolean): Promise<ByteChannel> {
    const deadline = performance.now() + CONNECT_MS
    for (;;) {
      try {
        return await openTcpChannel(
          address,
          {
            onData: (bytes) => {
              talk.push(bytes)
            },
            onClose: () => undefined,
          },
          Math.max(1, Math.ceil(deadline - performance.now())),
        )
      } catch (error) {
        if (!patient || performance.now() + CONNECT_AGAIN_MS > deadline) throw error
        await pause(CONNECT_AGAIN_MS)
      }
    }
  }
  return {
    asks: true,
    stays: false,
    transferMs: () => 0,
    async lend(patient, use) {
      talk.begin()
      const channel = await connect(patient)
      current = channel
      try {
        return await use({ write: (bytes, deadlineMs) => channel.write(bytes, deadlineMs), talk })
      } finally {
        current = null
        await channel.close()
      }
    },
    async close() {
      await current?.close()
    },
  }
}

export function serialWire(
  connection: Extract<PrinterConnection, { kind: 'serial' }>,
  talk: PrinterTalk,
  onHealth: (health: Health) => void,
): PrinterWire {
  const line = new Line(connection, {
    onData: (bytes) => {
      talk.push(bytes)
    },
    onBreak: () => {
      talk.begin()
    },
    onHealth,
  })
  return {
    asks: true,
    stays: true,
    // Ten bits a byte: start, eight of data, stop.
    transferMs: (bytes) => Math.ceil((bytes * 10_000) / connection.baudRate),
    lend(_patient, use) {
      if (line.health.state !== 'ready')
        return Promise.reject(new WireError(line.health.detail ?? 'the port is not open yet'))
      const { disconnections } = line
      return use({
        talk,
        async write(bytes, deadlineMs) {
          // The port may be back already: what its printer says now is not about a job that the lost wire had.
          if (line.disconnections !== disconnections) throw new WireError('the wire was lost')
          await line.write(bytes, deadlineMs)
        },
      })
    },
    close: () => line.close(),
  }
}

/** A file, a named pipe or a device such as /dev/usb/lp0: jobs are appended, nothing is asked. */
export function fileWire(path: string, talk: PrinterTalk): PrinterWire {
  let stuck: Promise<unknown> | null = null
  return {
    asks: false,
    stays: false,
    transferMs: () => 0,
    async lend(_patient, use) {
      if (stuck !== null) throw new WireError('an earlier job still blocks the device')
      try {
        await access(path, constants.W_OK).catch(() => access(dirname(path), constants.W_OK))
        const file = await open(path, 'a')
        const work = use({ write: (bytes) => file.appendFile(bytes), talk }).finally(() => file.close())
        stuck = work
        work
          .catch(() => undefined)
          .finally(() => {
            stuck = null
          })
          .catch(() => undefined)
        return await within(FILE_WRITE_MS, 'the device took no more data', work)
      } catch (error) {
        throw error instanceof WireError ? error : new WireError(reasonOf(error))
      }
    },
    close: () => Promise.resolve(),
  }
}

/** A virtual connection that nobody put a virtual bench behind. */
export function noWire(): PrinterWire {
  return {
    asks: false,
    stays: false,
    transferMs: () => 0,
    lend: () => Promise.reject(new WireError('a virtual connection without a virtual bench')),
    close: () => Promise.resolve(),
  }
}
