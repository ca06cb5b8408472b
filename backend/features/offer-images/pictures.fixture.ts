import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** A PNG as far as anybody here looks at it, and another one for each text. */
export const png = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.from(text)])

export interface PictureServer {
  readonly url: string
  /** Paths that were asked for, oldest first. */
  readonly asked: string[]
  close(): Promise<void>
}

/** A server of pictures on a real port. */
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
