import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createPublicKey } from 'node:crypto'
import { NONCE_HEADER, PROOF_HEADER, readProof, type ProofPayload } from '../../packages/delivery/enrolment/proof.ts'
import { makeLaneKey } from '../../packages/delivery/enrolment/sealing.ts'
import { hasOpenssl, openAuthority } from '../operations/connection/certificates.fixture.ts'
import { createStoreChannel } from './channel.ts'

const lane = { token: 'T'.repeat(43), key: makeLaneKey() }
const key = createPublicKey({ key: Buffer.from(lane.key.publicKey, 'base64'), format: 'der', type: 'spki' })

async function start(answer: (payload: ProofPayload | null, reply: ServerResponse) => void) {
  const authority = openAuthority()
  const { cert, key: serverKey } = authority.issue('localhost', -1, 90)
  const received: (ProofPayload | null)[] = []
  const server = createServer({ cert, key: serverKey }, (request: IncomingMessage, reply) => {
    request.resume().on('end', () => {
      const payload = readProof(key, String(request.headers[PROOF_HEADER]))
      received.push(payload)
      answer(payload, reply)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen on a port')
  const channel = createStoreChannel({ url: `https://localhost:${address.port}`, ca: authority.root, ...lane })
  onTestFinished(() => {
    channel.close()
    server.closeAllConnections()
    server.close()
  })
  return { channel, received }
}
const refuseNonce = (reply: ServerResponse): void => {
  reply.writeHead(401, { [NONCE_HEADER]: 'N'.repeat(22) })
  reply.end(JSON.stringify({ refused: 'nonce', serverTime: new Date().toISOString() }))
}

test.skipIf(!hasOpenssl)(
  'a call whose nonce the server refuses is signed and sent again, and returns the answer to the second request',
  async () => {
    const { channel, received } = await start((payload, reply) => {
      if (payload?.nonce === undefined) refuseNonce(reply)
      else reply.end('{"done":true}')
    })
    expect(await channel.post('/lane/x', { a: 1 }, 5_000)).toMatchObject({ kind: 'answer', status: 200 })
    expect(await channel.post('/lane/x', { a: 1 }, 5_000)).toMatchObject({ kind: 'answer', status: 200 })
    expect(received.map((payload) => payload?.nonce)).toEqual([undefined, 'N'.repeat(22), 'N'.repeat(22)])
    expect(new Set(received.map((payload) => payload?.jti)).size).toBe(3)
  },
)

test.skipIf(!hasOpenssl)(
  'a server that refused a nonce counts as reached, even if it does not answer the second request',
  async () => {
    let calls = 0
    const { channel } = await start((_payload, reply) => {
      calls += 1
      if (calls === 1) refuseNonce(reply)
    })
    expect(await channel.post('/lane/x', {}, 500)).toMatchObject({ kind: 'no-answer', isReached: true })
  },
)

test.skipIf(!hasOpenssl)(
  'a server that refuses a nonce of its own twice counts as unavailable, and not as refusing the lane',
  async () => {
    const { channel, received } = await start((_payload, reply) => refuseNonce(reply))
    expect(await channel.post('/lane/x', {}, 5_000)).toMatchObject({ kind: 'no-answer', isReached: true })
    expect(received).toHaveLength(2)
  },
)
