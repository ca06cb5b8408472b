import { request, type Agent } from 'node:https'
import { Readable } from 'node:stream'
import { NONCE_HEADER, type LaneProver } from '../enrolment/proof.ts'

/** Base address of published versions; a missing final slash is added. */
export interface Source {
  readonly base: string
  readonly prover?: LaneProver | undefined
  readonly signal?: AbortSignal | undefined
  readonly agent?: (() => Promise<Agent>) | undefined
}

export interface Answer {
  readonly status: number
  readonly isUnpacked: boolean
  readonly body: Readable
}

export const addressOf = (base: string, place: string): string =>
  new URL(place, base.endsWith('/') ? base : `${base}/`).href

interface PendingRequest {
  readonly signal: AbortSignal
  /**
   * Report to send by POST as JSON. Its response must come from the wave controller itself: redirects are not followed.
   */
  readonly report?: object
}

export async function ask(source: Source, place: string, asking: PendingRequest): Promise<Answer> {
  const { nonce, ...answer } = await requestOnce(source, place, asking)
  source.prover?.take(nonce)
  if (answer.status !== 401 || nonce === undefined) return answer
  // The server requires a proof with the nonce in this response, so the call is repeated.
  answer.body.destroy()
  return requestOnce(source, place, asking)
}

type AnswerWithNonce = Answer & { readonly nonce?: string | undefined }

async function requestOnce(
  { base, prover, agent }: Source,
  place: string,
  { signal, report }: PendingRequest,
): Promise<AnswerWithNonce> {
  const address = addressOf(base, place)
  const body = report === undefined ? null : JSON.stringify(report)
  const method = body === null ? 'GET' : 'POST'
  const { pathname, search } = new URL(address)
  const headers = {
    ...prover?.headers({ method, path: pathname + search, body: body ?? '' }),
    // The server must not compress files: they are decompressed here, after counting their bytes.
    'accept-encoding': 'identity',
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  }
  if (agent !== undefined && address.startsWith('https:'))
    return requestWithAgent(await agent(), address, { method, headers, body, signal })
  const redirect = body === null ? 'follow' : 'manual'
  const response = await fetch(address, { method, headers, body, signal, redirect })
  return {
    status: response.status,
    // Whether `fetch` has decompressed the body because of `content-encoding`; some servers still send the old name
    // x-gzip.
    isUnpacked: /^(x-)?gzip$/i.test(response.headers.get('content-encoding') ?? ''),
    body: unread(response.body === null ? Readable.from([]) : Readable.fromWeb(response.body)),
  }
}

const unread = (body: Readable): Readable => body.on('error', () => undefined)

interface Call {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

/** Sends a request with node:https, because fetch has no certificate option. */
function requestWithAgent(agent: Agent, address: string, { body, ...call }: Call): Promise<AnswerWithNonce> {
  return new Promise((resolve, reject) => {
    request(address, { ...call, agent }, (answer) => {
      const nonce = String(answer.headers[NONCE_HEADER] ?? '') || undefined
      resolve({ status: answer.statusCode ?? 0, isUnpacked: false, body: unread(answer), nonce })
    })
      // A failed request is reported as a network error, so that it is not mistaken for a disk error.
      .on('error', (error) => reject(new Error('not reached', { cause: error })))
      .end(body ?? undefined)
  })
}
