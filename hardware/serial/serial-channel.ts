import { read as readDescriptor } from 'node:fs'
import { promisify } from 'node:util'
import { SerialPort } from 'serialport'
import { type ByteChannel, type ChannelEvents, WireError, reasonOf, within } from './channel.ts'
import { readFile, readdir, readlink, realpath, stat } from 'node:fs/promises'

interface Port {
  readonly isOpen: boolean
  read(buffer: Buffer, offset: number, length: number): Promise<{ bytesRead: number }>
  write(buffer: Buffer): Promise<void>
  close(): Promise<void>
}
/** Port of Linux and macOS, with a descriptor and a poller, which the Windows port does not have. */
interface PosixPort extends Port {
  readonly fd: number | null
  readonly poller: { once(event: 'readable', listener: (error: unknown) => void): unknown; stop(): void }
}

const readAsync = promisify(readDescriptor)
const CLOSE_MS = 1_000
const READ_BYTES = 4_096

export interface SerialAddress {
  readonly path: string
  readonly baudRate: number
  readonly dataBits?: 7 | 8 | undefined
  readonly parity?: 'none' | 'even' | 'odd' | undefined
}

class Disconnected extends Error {
  readonly code = 'unplugged'
}

const isPosix = (port: Port): port is PosixPort => 'poller' in port

const isRetryable = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EAGAIN' || error.code === 'EWOULDBLOCK' || error.code === 'EINTR')

/**
 * Reads at least one byte, or throws. The binding's own read retries a read of 0 bytes forever, although the system
 * reports an unplugged cable this way: the port would stay "open" and a core would spin.
 */
async function readPosix(port: PosixPort, buffer: Buffer, leaving: () => boolean): Promise<number> {
  for (;;) {
    if (port.fd === null) throw new Disconnected()
    try {
      const { bytesRead } = await readAsync(port.fd, buffer, 0, buffer.length, null)
      if (bytesRead === 0) throw new Disconnected()
      return bytesRead
    } catch (error) {
      if (!isRetryable(error)) throw error
    }
    if (leaving()) throw new Disconnected()
    await new Promise<void>((resolve, reject) => {
      port.poller.once('readable', (error) => {
        if (error instanceof Error) reject(error)
        else resolve()
      })
    })
  }
}

async function openPort(address: SerialAddress, deadlineMs: number): Promise<Port> {
  const { path, baudRate, dataBits = 8, parity = 'none' } = address
  const opening: Promise<Port> = SerialPort.binding.open({ path, baudRate, dataBits, parity })
  return within(deadlineMs, `${path} did not open within ${deadlineMs} ms`, opening).catch(async (error: unknown) => {
    // A port that opens after the deadline is closed again, because otherwise it would stay locked.
    opening
      .then(
        (late) => late.close(),
        () => undefined,
      )
      .catch(() => undefined)
    if (error instanceof WireError) throw error
    const busy = error instanceof Error && /lock|busy|temporarily unavailable/i.test(error.message)
    const holder = busy ? await portHolder(path) : null
    throw new WireError(`${path} did not open: ${holder === null ? reasonOf(error) : `in use by ${holder}`}`)
  })
}

/**
 * Opens the port with the binding instead of serialport's stream, which retains data in a pool that cannot be wiped and
 * may never report that it closed. The channel always reads, so that an unplugged cable is detected on a write-only
 * port. Rejects with a WireError if the port cannot be opened in time.
 */
export const openSerialChannel = async (
  address: SerialAddress,
  events: ChannelEvents,
  deadlineMs: number,
): Promise<ByteChannel> => new SerialChannel(await openPort(address, deadlineMs), events)

class SerialChannel implements ByteChannel {
  private readonly port: Port
  private readonly events: ChannelEvents
  private readonly buffer = Buffer.alloc(READ_BYTES)
  private readonly reading: Promise<string>
  private closing = false
  private closed: Promise<void> | undefined

  constructor(port: Port, events: ChannelEvents) {
    this.port = port
    this.events = events
    this.reading = this.readUntilClosed()
    void this.reading.then((reason) => this.lose(reason))
  }

  private async readUntilClosed(): Promise<string> {
    const { port, buffer } = this
    try {
      for (;;) {
        const length = isPosix(port)
          ? await readPosix(port, buffer, () => this.closing)
          : (await port.read(buffer, 0, buffer.length)).bytesRead
        try {
          if (!this.closing) this.events.onData(buffer.subarray(0, length))
        } finally {
          buffer.fill(0, 0, length)
        }
      }
    } catch (error) {
      return reasonOf(error)
    }
  }

  private async lose(reason: string): Promise<void> {
    if (this.closing) return
    this.closing = true
    await this.release()
    this.events.onClose(reason)
  }

  private release(): Promise<void> {
    const { port, reading } = this
    this.closed ??= (async () => {
      if (isPosix(port) && port.isOpen) port.poller.stop()
      else if (port.isOpen) await port.close().catch(() => undefined)
      await within(CLOSE_MS, 'the reader did not stop', reading).catch(() => undefined)
      if (port.isOpen) await within(CLOSE_MS, 'close took too long', port.close()).catch(() => undefined)
    })()
    return this.closed
  }

  async write(bytes: Uint8Array, deadlineMs: number): Promise<void> {
    if (this.closing) throw new WireError('write failed: the port is closed')
    try {
      // The port is not drained: on a stalled peer `drain` may never call back, and it blocks a thread of the pool.
      const written = this.port.write(Buffer.from(bytes))
      await within(deadlineMs, `the device accepted no data for ${deadlineMs} ms`, written)
    } catch (error) {
      await this.lose(reasonOf(error))
      throw error instanceof WireError ? error : new WireError(`write failed: ${reasonOf(error)}`)
    }
  }

  async close(): Promise<void> {
    this.closing = true
    await this.release()
  }
}

/**
 * Returns the other processes that have this port open, such as "name (pid 123)", separated by commas; null if no
 * process has, or if it cannot be determined: on systems other than Linux, and for processes of other users.
 */
export async function portHolder(path: string): Promise<string | null> {
  if (process.platform !== 'linux') return null
  try {
    const device = await realpath(path)
    const own = process.getuid?.()
    const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    const holders: string[] = []
    for (const pid of pids) {
      if ((await stat(`/proc/${pid}`).catch(() => null))?.uid !== own) continue
      const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
      for (const descriptor of descriptors) {
        if ((await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')) !== device) continue
        const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
        holders.push(`${name || 'a process'} (pid ${pid})`)
        break
      }
    }
    if (holders.length > 0) return holders.join(', ')
  } catch {}
  return null
}
