import { createServer, type Socket } from 'node:net'
import { TLSSocket, createSecureContext } from 'node:tls'
import { onTestFinished } from 'vitest'

/** An e-mail as the server received it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly data: string
  readonly user: string | null
  readonly isSecure: boolean
}

/** Reply to an SMTP command: a number and a text, or `drop` to close the connection. */
export type Reply = `${number} ${string}` | 'drop'

export interface SmtpServerOptions {
  /** Returns the reply to RCPT, DATA (after the content of the e-mail) or AUTH; null for the usual reply. */
  readonly reply?: (verb: 'RCPT' | 'DATA' | 'AUTH') => Reply | null
  readonly certificate?: { readonly cert: string; readonly key: string }
}

export interface SmtpServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** Number of connections so far. */
  readonly connections: () => number
  /** Resolves when this many e-mails were received. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/** A mail server on loopback (RFC 5321) for tests, with STARTTLS if it has a certificate. */
export async function openSmtpServer(options: SmtpServerOptions = {}, port = 0): Promise<SmtpServer> {
  const mails: ReceivedMail[] = []
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, options, (mail) => {
      mails.push(mail)
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  onTestFinished(close)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    mails,
    connections: () => connections,
    received: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (mails.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    close,
  }
}

function serve(plain: Socket, options: SmtpServerOptions, onMail: (mail: ReceivedMail) => void): void {
  let socket: Socket = plain
  let user: string | null = null
  let from = ''
  let to: string[] = []
  let data: string | null = null
  let rest = ''
  const send = (text: string): void => void socket.write(`${text}\r\n`)
  const answer = (verb: 'RCPT' | 'DATA' | 'AUTH', usual: Reply): boolean => {
    const reply = options.reply?.(verb) ?? usual
    if (reply === 'drop') socket.destroy()
    else send(reply)
    return reply === usual
  }
  function startTls(): void {
    send('220 ready for TLS')
    const secured = new TLSSocket(plain, { isServer: true, secureContext: createSecureContext(options.certificate) })
    plain.removeListener('data', onData)
    socket = secured
    secured.on('error', () => undefined)
    secured.on('data', onData)
  }
  function onLine(line: string): void {
    if (data !== null) {
      if (line !== '.') data += `${line.replace(/^\.\./, '.')}\r\n`
      else {
        const mail = { from, to, data, user, isSecure: socket !== plain }
        data = null
        if (answer('DATA', '250 accepted')) onMail(mail)
      }
      return
    }
    const [verb = ''] = line.toUpperCase().split(' ')
    const bracketed = /<([^>]*)>/.exec(line)?.[1] ?? ''
    switch (verb) {
      case 'EHLO':
        send(`250-smtp.test`)
        if (options.certificate && socket === plain) send('250-STARTTLS')
        return send('250 AUTH PLAIN')
      case 'STARTTLS':
        return options.certificate ? startTls() : send('502 no TLS')
      case 'AUTH': {
        const [, given = ''] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0')
        if (answer('AUTH', '235 accepted')) user = given
        return
      }
      case 'MAIL':
        from = bracketed
        to = []
        return send('250 OK')
      case 'RCPT':
        if (answer('RCPT', '250 OK')) to.push(bracketed)
        return
      case 'DATA':
        data = ''
        return send('354 continue')
      case 'QUIT':
        send('221 bye')
        socket.end()
        return
      default:
        send('250 OK')
    }
  }
  function onData(chunk: Buffer): void {
    rest += chunk.toString('latin1')
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 2)
      onLine(line)
    }
  }
  plain.on('error', () => undefined)
  plain.on('data', onData)
  send('220 smtp.test ESMTP')
}
