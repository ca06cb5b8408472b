import net from 'node:net'

export interface Answered {
  readonly status: number
  readonly text: string
}

/**
 * A keep-alive HTTP/1.1 connection with one request in flight. The client is minimal, so that the processor is free for
 * the measured services.
 */
export interface Connection {
  post(path: string, body: string, headers: string): Promise<Answered>
  close(): void
}

export function connect(url: string): Promise<Connection> {
  const { hostname, port, host } = new URL(url)
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true })
  let pending: { resolve: (answer: Answered) => void; reject: (reason: Error) => void } | undefined
  let held = Buffer.alloc(0)
  const fail = (reason: Error): void => {
    pending?.reject(reason)
    pending = undefined
  }
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const end = held.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = held.toString('latin1', 0, end)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) return fail(new Error(`a response without a length: ${head}`))
    if (held.length < end + 4 + length) return
    const answer = { status: Number(head.slice(9, 12)), text: held.toString('utf8', end + 4, end + 4 + length) }
    held = held.subarray(end + 4 + length)
    const { resolve } = pending ?? {}
    pending = undefined
    resolve?.(answer)
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the connection was closed')))
  const connection: Connection = {
    post: (path, body, headers) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the connection was closed'))
        pending = { resolve, reject }
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ` +
            `${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`,
        )
      }),
    close: () => {
      socket.destroy()
    },
  }
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(connection))
    socket.once('error', reject)
  })
}
