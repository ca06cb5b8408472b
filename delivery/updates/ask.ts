import { request, type Agent } from 'node:https'
import { Readable } from 'node:stream'

/** Where releases are published: an address that ends with a slash, or is read as if it did. */
export interface Source {
  readonly base: string
  /** Sent along, such as the token of an enrolled lane. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  /** Whom a connection over TLS believes, where it is not the authorities of this system. */
  readonly agent?: (() => Promise<Agent>) | undefined
}

export interface Answer {
  readonly status: number
  /** What comes is the file already, and no longer its packed form. */
  readonly isUnpacked: boolean
  readonly body: Readable
}

export const addressOf = (base: string, place: string): string =>
  new URL(place, base.endsWith('/') ? base : `${base}/`).href

interface Asking {
  readonly signal: AbortSignal
  /** Told by POST, as JSON. Its answer is the controller’s own: no other place is followed to. */
  readonly report?: object
}

/** Asks for one place. Rejects where nobody answers. */
export async function ask(source: Source, place: string, { signal, report }: Asking): Promise<Answer> {
  const address = addressOf(source.base, place)
  const body = report === undefined ? null : JSON.stringify(report)
  const headers = {
    ...source.headers,
    // Packed files are unpacked here, and counted before.
    'accept-encoding': 'identity',
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  }
  const method = body === null ? 'GET' : 'POST'
  if (source.agent !== undefined && address.startsWith('https:'))
    return askBelieving(await source.agent(), address, { method, headers, body, signal })
  const redirect = body === null ? 'follow' : 'manual'
  const response = await fetch(address, { method, headers, body, signal, redirect })
  return {
    status: response.status,
    // Fetch has unpacked what it was told is packed; some servers still call it by its old name.
    isUnpacked: /^(x-)?gzip$/i.test(response.headers.get('content-encoding') ?? ''),
    body: unread(response.body === null ? Readable.from([]) : Readable.fromWeb(response.body)),
  }
}

/** Whoever does not read it need not hear how it ended. */
const unread = (body: Readable): Readable => body.on('error', () => undefined)

interface Call {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

/** Fetch takes no certificate along. */
function askBelieving(agent: Agent, address: string, { body, ...call }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(address, { ...call, agent }, (answer) => {
      resolve({ status: answer.statusCode ?? 0, isUnpacked: false, body: unread(answer) })
    })
      // Of the network, whatever it is called: it is none of this machine's disk.
      .on('error', (error) => reject(new Error('not reached', { cause: error })))
      .end(body ?? undefined)
  })
}
