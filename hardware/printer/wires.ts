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
import type { PrinterProtocol } from './protocol.ts'

const CONNECT_MS = 3_000
const CONNECT_AGAIN_MS = 250
const FILE_WRITE_MS = 10_000

/** Transport of print jobs: a connection for each job, a port that stays open, or a file. */
export interface PrinterWire {
  readonly reportsStatus: boolean
  /** Whether the connection stays open between jobs, so that the printer can send unsolicited status. */
  readonly isPermanent: boolean
  transferMs(bytes: number): number
  /**
   * Runs `use` with an open connection. Rejects with a WireError before `use` runs if there is no connection.
   * `patient`: tries to connect for a while, because another lane may be connected.
   */
  withConnection<T>(patient: boolean, use: (wire: JobWire) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function tcpWire(address: TcpAddress, protocol: PrinterProtocol): PrinterWire {
  let current: ByteChannel | null = null
  async function connect(patient: boolean): Promise<ByteChannel> {
    const deadline = performance.now() + CONNECT_MS
    for (;;) {
      try {
        return await openTcpChannel(
          address,
          {
            onData: (bytes) => {
              protocol.push(bytes)
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
    reportsStatus: true,
    isPermanent: false,
    transferMs: () => 0,
    async withConnection(patient, use) {
      protocol.begin()
      const channel = await connect(patient)
      current = channel
      try {
        return await use({ write: (bytes, deadlineMs) => channel.write(bytes, deadlineMs), protocol })
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
  protocol: PrinterProtocol,
  onHealth: (health: Health) => void,
): PrinterWire {
  const line = new Line(connection, {
    onData: (bytes) => {
      protocol.push(bytes)
    },
    onBreak: () => {
      protocol.begin()
    },
    onHealth,
  })
  return {
    reportsStatus: true,
    isPermanent: true,
    // Ten bits are sent per byte: start, eight data bits, stop.
    transferMs: (bytes) => Math.ceil((bytes * 10_000) / connection.baudRate),
    withConnection(_patient, use) {
      if (line.health.state !== 'ready')
        return Promise.reject(new WireError(line.health.detail ?? 'the port is not open yet'))
      const { disconnections } = line
      return use({
        protocol,
        async write(bytes, deadlineMs) {
          // The port may already be open again, but the printer's status would not describe the job of the lost
          // connection.
          if (line.disconnections !== disconnections) throw new WireError('the wire was lost')
          await line.write(bytes, deadlineMs)
        },
      })
    },
    close: () => line.close(),
  }
}

export function fileWire(path: string, protocol: PrinterProtocol): PrinterWire {
  let stuck: Promise<unknown> | null = null
  return {
    reportsStatus: false,
    isPermanent: false,
    transferMs: () => 0,
    async withConnection(_patient, use) {
      if (stuck !== null) throw new WireError('an earlier job still blocks the device')
      try {
        await access(path, constants.W_OK).catch(() => access(dirname(path), constants.W_OK))
        const file = await open(path, 'a')
        const work = use({ write: (bytes) => file.appendFile(bytes), protocol }).finally(() => file.close())
        stuck = work
        work
          .catch(() => undefined)
          .finally(() => {
            stuck = null
          })
          .catch(() => undefined)
        return await within(FILE_WRITE_MS, 'the device accepted no more data', work)
      } catch (error) {
        throw error instanceof WireError ? error : new WireError(reasonOf(error))
      }
    },
    close: () => Promise.resolve(),
  }
}

export function noWire(): PrinterWire {
  return {
    reportsStatus: false,
    isPermanent: false,
    transferMs: () => 0,
    withConnection: () => Promise.reject(new WireError('a virtual connection without a virtual bench')),
    close: () => Promise.resolve(),
  }
}
