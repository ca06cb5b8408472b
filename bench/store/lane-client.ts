import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { HelloAnswer, PushAnswer, STORE_PATHS, STORE_PROTOCOL, type Fact } from '../../contracts/store/protocol.ts'
import { z } from 'zod'
import {
  createProver,
  NONCE_HEADER,
  NONCE_REFUSED,
  type LaneCredentials,
} from '../../packages/delivery/enrolment/proof.ts'

export interface LaneClient {
  hello(stream: string): Promise<void>
  /** Pushes facts; returns the last applied sequence number. Throws on an error response or a quarantined fact. */
  push(stream: string, facts: readonly Fact[]): Promise<number>
  close(): void
}

const NonceRefusal = z.object({ refused: z.literal(NONCE_REFUSED) })
/** Milliseconds until a store server that was busy is called again. */
const AGAIN_MS = 20

export function openLaneClient({
  url,
  ca,
  lane,
}: {
  readonly url: string
  readonly ca: string
  readonly lane: LaneCredentials
}): LaneClient {
  const prover = createProver(lane)
  const agent = new Agent({ keepAlive: true, ca, maxSockets: 4 })
  async function post<Answer>(path: string, body: object, schema: z.ZodType<Answer>): Promise<Answer> {
    const text = JSON.stringify({ protocol: STORE_PROTOCOL, ...body })
    for (;;) {
      const call = request(new URL(path, url), {
        agent,
        method: 'POST',
        headers: {
          ...prover.headers({ method: 'POST', path, body: text }),
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      })
      call.end(text)
      const [response] = await once(call, 'response')
      prover.take(response.headers[NONCE_HEADER])
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const answer = Buffer.concat(chunks).toString()
      if (response.statusCode === 200) return schema.parse(JSON.parse(answer))
      if (response.statusCode === 401 && NonceRefusal.safeParse(JSON.parse(answer)).success) continue
      if (response.statusCode !== 503) throw new Error(`${path}: ${response.statusCode} ${answer}`)
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
  return {
    async hello(stream) {
      await post(STORE_PATHS.hello, { version: 'bench', streams: [{ epoch: 1, name: stream }] }, HelloAnswer)
    },
    async push(stream, facts) {
      const { applied, aside } = await post(STORE_PATHS.facts, { stream, epoch: 1, facts }, PushAnswer)
      if (aside.length > 0) throw new Error(`the server quarantined ${aside.length} of ${facts.length} facts`)
      return applied
    },
    close: () => agent.destroy(),
  }
}
