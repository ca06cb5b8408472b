import { type Socket, createServer } from 'node:net'
import type { PrinterLanguage } from '../../contracts/core/profile.ts'

export interface SimulatedPortEvents {
  readonly onConnect?: (socket: Socket) => void
}

export interface SimulatedPort {
  readonly connection: { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  send(bytes: Uint8Array): void
  unplug(): Promise<void>
  plug(): Promise<void>
  readonly plugged: boolean
}

const HOST = '127.0.0.1'

export async function openSimulatedPort(events: SimulatedPortEvents = {}): Promise<SimulatedPort> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
    })
    if (events.onConnect) events.onConnect(socket)
    else socket.resume()
  })
  let plugged = false

  async function listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: HOST, port }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    plugged = true
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }

  const port = await listen(0)
  return {
    connection: { kind: 'tcp', host: HOST, port },
    send(bytes) {
      for (const socket of sockets) socket.write(bytes)
    },
    async unplug() {
      if (!plugged) return
      plugged = false
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
      })
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async plug() {
      if (!plugged) await listen(port)
    },
    get plugged() {
      return plugged
    },
  }
}

export const VIRTUAL_IDENTITY = {
  manufacturerName: 'MILEPOST',
  modelName: 'VIRTUAL-80',
  firmwareRevision: '1.2',
  serialNumber: 'V0000042',
} as const

export interface PrinterState {
  readonly paper: 'ok' | 'out'
  readonly coverOpen: boolean
  readonly drawerOpen: boolean
  readonly endsReached: number
  readonly fault: PrinterFault | null
}
export type PrinterFault = 'cutter' | 'head-too-hot'

export interface PrinterStatusModel {
  arrived(bytes: Uint8Array, state: PrinterState): { readonly answers: readonly Uint8Array[]; readonly kicks: number }
  reached(state: PrinterState): Uint8Array
  identity(question: string): Uint8Array | null
  changed(state: PrinterState): Uint8Array
}

const OPEN = 0x04

function escPos(): PrinterStatusModel {
  let window: number[] = []
  const statusByte = (what: number, { paper, coverOpen, drawerOpen, fault }: PrinterState): number => {
    const out = paper === 'out'
    switch (what) {
      case 1:
        return 0x12 | (out || coverOpen || fault !== null ? 0x08 : 0) | (drawerOpen ? OPEN : 0)
      case 2:
        return 0x12 | (coverOpen ? 0x04 : 0) | (out ? 0x20 : 0) | (fault !== null ? 0x40 : 0)
      case 3:
        return 0x12 | (fault === 'cutter' ? 0x08 : 0) | (fault === 'head-too-hot' ? 0x40 : 0)
      case 4:
        return out ? 0x7e : 0x12
      default:
        return 0x12
    }
  }
  return {
    arrived(bytes, state) {
      const answers: Uint8Array[] = []
      let kicks = 0
      for (const byte of bytes) {
        window = [...window.slice(-4), byte]
        if (window.at(-3) === 0x10 && window.at(-2) === 0x04 && byte >= 1 && byte <= 4)
          answers.push(Uint8Array.of(statusByte(byte, state)))
        if (window.length === 5 && window[0] === 0x10 && window[1] === 0x14 && window[2] === 0x01) kicks += 1
      }
      return { answers, kicks }
    },
    reached: () => Uint8Array.of(0x00),
    identity(question) {
      const { manufacturerName, modelName, firmwareRevision, serialNumber } = VIRTUAL_IDENTITY
      const answers: Readonly<Record<string, string>> = {
        'GS I 65': firmwareRevision,
        'GS I 66': manufacturerName,
        'GS I 67': modelName,
        'GS I 68': serialNumber,
      }
      const text = answers[question]
      return text === undefined ? null : Buffer.from(`_${text}\0`, 'latin1')
    },
    changed: ({ paper, coverOpen, drawerOpen, fault }) =>
      Uint8Array.of(
        0x10 |
          (drawerOpen ? OPEN : 0) |
          (paper === 'out' || coverOpen || fault !== null ? 0x08 : 0) |
          (coverOpen ? 0x20 : 0),
        (fault === 'cutter' ? 0x08 : 0) | (fault === 'head-too-hot' ? 0x40 : 0),
        paper === 'out' ? 0x0c : 0,
        0,
      ),
  }
}

function star(language: PrinterLanguage): PrinterStatusModel {
  let window: number[] = []
  const block = ({ paper, coverOpen, drawerOpen, endsReached, fault }: PrinterState): Uint8Array => {
    const out = paper === 'out'
    const count = endsReached % 32
    return Uint8Array.of(
      0x23,
      0x06,
      (coverOpen ? 0x20 : 0) | (out || coverOpen || fault !== null ? 0x08 : 0) | (drawerOpen ? OPEN : 0),
      (fault === 'cutter' ? 0x08 : 0) | (fault === 'head-too-hot' ? 0x40 : 0),
      0,
      out ? 0x0c : 0,
      0,
      ((count & 0x18) << 2) | ((count & 0x07) << 1),
      0,
    )
  }
  return {
    arrived(bytes, state) {
      const answers: Uint8Array[] = []
      for (const byte of bytes) {
        window = [...window.slice(-2), byte]
        if (window[0] === 0x1b && window[1] === 0x06 && byte === 0x01) answers.push(block(state))
      }
      return { answers, kicks: 0 }
    },
    reached: block,
    identity(question) {
      const { modelName, firmwareRevision, serialNumber } = VIRTUAL_IDENTITY
      if (question === 'ESC # *') return Buffer.from(`\x1b#*,${modelName}Ver${firmwareRevision}\n\0`, 'latin1')
      // Star Line mode has no printer command for the serial number.
      return question === 'ESC GS ) I 49' && language === 'star-prnt'
        ? Buffer.from(`\x1b\x1d)I\x01\x00\x31PrSrN=${serialNumber},\n\0`, 'latin1')
        : null
    },
    changed: block,
  }
}

export function statusModelOf(language: PrinterLanguage): PrinterStatusModel {
  switch (language) {
    case 'esc-pos':
      return escPos()
    case 'star-prnt':
    case 'star-line':
      return star(language)
  }
}
