import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface PaperPrinter {
  readonly port: number
  documents(): string[]
  /** All bytes that the printer received, in latin1. */
  bytes(): string
  printed(count: number): Promise<string[]>
  close(): Promise<void>
}

export async function openPaperPrinter(port = 0): Promise<PaperPrinter> {
  const jobs: Buffer[][] = []
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const chunks: Buffer[] = []
    jobs.push(chunks)
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    let last = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      // A status request may be split after its first byte: keep the last byte of this chunk for the next one.
      const bytes = Buffer.concat([last, chunk])
      last = Buffer.from(chunk.subarray(-1))
      // DLE EOT n requests the printer's status; 0x12 means no problem.
      for (let at = bytes.indexOf('\x10\x04'); at >= 0; at = bytes.indexOf('\x10\x04', at + 1))
        socket.write(Buffer.from([0x12]))
      // GS r is answered in sequence: the answer confirms that everything before it was processed.
      if (bytes.includes('\x1dr')) socket.write(Buffer.from([0x00]))
      for (const wake of waiting) wake()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const documents = (): string[] =>
    jobs
      .map((chunks) => Buffer.concat(chunks))
      .filter((bytes) => bytes.includes('\x1dV'))
      .map(decodeEscPos)
  return {
    port: (server.address() as AddressInfo).port,
    documents,
    bytes: () => Buffer.concat(jobs.flat()).toString('latin1'),
    async printed(count) {
      while (documents().length < count)
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      return documents()
    },
    async close() {
      if (!server.listening) return
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Decodes ESC/POS like a printer: Windows-1252 text and line feeds; other ESC/POS commands are skipped by the length in
 * Epson's reference. It is written independently of the encoder, so that both cannot share a mistake.
 */
export function decodeEscPos(bytes: Buffer): string {
  const text = new TextDecoder('windows-1252')
  let out = ''
  let at = 0
  const next = (): number => bytes[at++] ?? 0
  while (at < bytes.length) {
    const byte = next()
    switch (byte) {
      case 0x10:
        at += bytes[at] === 0x04 ? 2 : 0
        break
      case 0x1b:
        skipEsc()
        break
      case 0x1c:
        at += 1
        if (bytes[at - 1] !== 0x2e) at += 1
        break
      case 0x1d:
        skipGs()
        break
      case 0x0a:
        out += '\n'
        break
      default:
        if (byte >= 0x20) out += text.decode(Uint8Array.of(byte))
    }
  }
  return out

  function skipEsc(): void {
    const opcode = next()
    if (opcode === 0x40 || opcode === 0x32) return
    if (opcode === 0x70) at += 3
    else if (opcode === 0x2a) {
      const mode = next()
      const width = next() + next() * 256
      at += width * (mode > 1 ? 3 : 1)
    } else if (opcode === 0x24 || opcode === 0x5c) at += 2
    else at += 1
  }
  function skipGs(): void {
    const opcode = next()
    if (opcode === 0x56) {
      if ((bytes[at] ?? 0) >= 65) at += 2
      else at += 1
    } else if (opcode === 0x6b) {
      const kind = next()
      if (kind >= 65) {
        const length = next()
        out += `[barcode ${bytes.subarray(at, at + length).toString('latin1')}]`
        at += length
      } else {
        const end = bytes.indexOf(0, at)
        at = end < 0 ? bytes.length : end + 1
      }
    } else if (opcode === 0x28 || opcode === 0x38) {
      next()
      const length = next() + next() * 256
      at += length
    } else if (opcode === 0x76) {
      next()
      next()
      const width = next() + next() * 256
      const height = next() + next() * 256
      at += width * height
    } else if (opcode === 0x4c || opcode === 0x57 || opcode === 0x50) at += 2
    else at += 1
  }
}
