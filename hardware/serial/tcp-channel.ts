import { connect, type Socket } from 'node:net'
import { type ByteChannel, type ChannelEvents, reasonOf, within, WireError } from './channel.ts'

/** Idle time in ms before the first keep-alive probe. Probes are needed because a power cut sends no FIN. */
const KEEP_ALIVE_MS = 5_000
const CLOSE_MS = 1_000
const READ_BYTES = 4_096

export interface TcpAddress {
  readonly host: string
  readonly port: number
}

export async function openTcpChannel(
  { host, port }: TcpAddress,
  events: ChannelEvents,
  deadlineMs: number,
): Promise<ByteChannel> {
  const socket = connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    onread: {
      buffer: Buffer.alloc(READ_BYTES),
      callback: (length, buffer) => {
        try {
          if (!closing) events.onData(buffer.subarray(0, length))
        } finally {
          buffer.fill(0, 0, length)
        }
        return true
      },
    },
  })
  let reason = 'closed by the device'
  let closing = false
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve()
    })
  })
  // The error listener stays for the socket's lifetime: a failing socket without one ends the process.
  socket.on('error', (error) => {
    reason = reasonOf(error)
  })

  await within(
    deadlineMs,
    `no connection to ${host}:${port} within ${deadlineMs} ms`,
    new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('close', () => {
        reject(new WireError(`no connection to ${host}:${port}: ${reason}`))
      })
    }),
  ).catch((error: unknown) => {
    closing = true
    socket.destroy()
    throw error
  })
  void closed.then(() => {
    if (!closing) events.onClose(reason)
  })

  return {
    write: (bytes, writeDeadlineMs) => write(socket, bytes, writeDeadlineMs, () => reason),
    async close() {
      if (!closing) {
        closing = true
        socket.end()
      }
      await within(CLOSE_MS, 'close took too long', closed).catch(() => {
        socket.destroy()
      })
    },
  }
}

async function write(socket: Socket, bytes: Uint8Array, deadlineMs: number, reason: () => string): Promise<void> {
  const written = Promise.withResolvers<void>()
  const lost = (): void => {
    written.reject(new WireError(`write failed: ${reason()}`))
  }
  // The listener is removed after the write, so that an open connection retains no written bytes in memory: they are
  // text of private receipts.
  socket.once('close', lost)
  socket.write(bytes, (error) => {
    if (error) written.reject(new WireError(`write failed: ${reasonOf(error)}`))
    else written.resolve()
  })
  try {
    await within(deadlineMs, `the device accepted no data for ${deadlineMs} ms`, written.promise)
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    socket.off('close', lost)
  }
}
