import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

export function png(text: string, side = 16): Buffer {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt32BE(side, 16)
  head.writeUInt32BE(side, 20)
  return Buffer.concat([head, Buffer.from(text)])
}

export interface PictureServer {
  readonly url: string
  readonly asked: string[]
  close(): Promise<void>
}

export async function servePictures(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<PictureServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.closeAllConnections()
      server.close(() => {
        closed()
      })
    })
  onTestFinished(close)
  return { url: `http://127.0.0.1:${address.port}`, asked, close }
}
