import net from 'node:net'
import type { Rng } from '../rng.ts'

const NOISE = [
  'GET\r\n\r\n',
  'POST /checkout/issuance/issue HTTP/1.1\r\n\r\n',
  'POST / HTTP/9.9\r\nHost: a\r\n\r\n',
  'BREW /coffee HTTP/1.1\r\nHost: a\r\n\r\n',
  '\r\n\r\n\r\n',
  '\u0016\u0003\u0001\u0002',
  'POST /checkout/loyaltycash/echo HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n{}',
  'POST /checkout/loyaltycash/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}',
  'POST /checkout/loyaltycash/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: ' +
    '3\r\n\r\nzz\r\n',
  'POST /checkout/loyaltycash/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  `GET /offers HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`,
  `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'GET /offers HTTP/1.1\r\nHost: a\r\nBad Header: 1\r\n\r\n',
  'GET http://[::bad/ HTTP/1.1\r\nHost: a\r\n\r\n',
] as const

/** Bytes that are no HTTP, straight on a socket. Resolves with what came back before the connection ended. */
export function sayRaw(url: string, rng: Rng): Promise<string> {
  const { hostname, port } = new URL(url)
  const bytes =
    rng.below(3) === 0
      ? Buffer.from(Array.from({ length: 1 + rng.below(400) }, () => rng.below(256)))
      : Buffer.from(rng.pick(NOISE), 'latin1')
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port) })
    let received = ''
    socket.setTimeout(2_000, () => {
      socket.destroy()
    })
    socket.on('data', (part) => {
      received += part.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      resolve(received)
    })
    socket.end(bytes)
  })
}
