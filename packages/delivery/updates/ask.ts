import { request, type Agent } from 'node:https'
import { Readable } from 'node:stream'
import { NONCE_HEADER, type LaneProver } from '../enrolment/proof.ts'

/** Where releases are published: an address that ends with a slash, or is read as if it did. */
export interface Source {
  readonly base: string
  /** Signs reports as an enrolled lane. */
  readonly prover?: LaneProver | undefined
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
export async function ask(source: Source, place: string, asking: Asking): Promise<Answer> {
  const { nonce, ...answer } = await askOnce(source, place, asking)
  source.prover?.take(nonce)
  if (answer.status !== 401 || nonce === undefined) return answer
  // The server asks for a proof with this nonce.
  answer.body.destroy()
  return askOnce(source, place, asking)
}

type Told = Answer & { readonly nonce?: string | undefined }

async function askOnce({ base, prover, agent }: Source, place: string, { signal, report }: Asking): Promise<Told> {
  const address = addressOf(base, place)
  const body = report === undefined ? null : JSON.stringify(report)
  const method = body === null ? 'GET' : 'POST'
  const { pathname, search } = new URL(address)
  const headers = {
    ...prover?.headers({ method, path: pathname + search, body: body ?? '' }),
    // Packed files are unpacked here, and counted before.
    'accept-encoding': 'identity',
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  }
  if (agent !== undefined && address.startsWith('https:'))
    return askBelieving(await agent(), address, { method, headers, body, signal })
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
function askBelieving(agent: Agent, address: string, { body, ...call }: Call): Promise<Told> {
  return new Promise((resolve, reject) => {
    request(address, { ...call, agent }, (answer) => {
      const nonce = String(answer.headers[NONCE_HEADER] ?? '') || undefined
      resolve({ status: answer.statusCode ?? 0, isUnpacked: false, body: unread(answer), nonce })
    })
      // Of the network, whatever it is called: it is none of this machine's disk.
      .on('error', (error) => reject(new Error('not reached', { cause: error })))
      .end(body ?? undefined)
  })
}
