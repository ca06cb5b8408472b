import type { FastifyInstance } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { CallDependencies } from '../http/call.ts'
import { drop, hang, sendBytes } from '../http/delivery.ts'

/**
 * Faults of the identity provider: those that strike before an answer. Its bodies hold the secret and are not noted.
 */
export function tokenFaults({ faults, requests, clock }: CallDependencies) {
  return (app: FastifyInstance): void => {
    app.addHook('onRequest', async (request, reply) => {
      const path = request.url.split('?', 1)[0] ?? request.url
      requests.receive(request.method, path, request.headers, Buffer.alloc(0), null)
      const fault = faults.strike(path, undefined, clock.now())
      switch (fault?.kind) {
        case 'delay':
          await delay(fault.ms)
          break
        case 'hang-before':
        case 'hang-after':
          hang(reply)
          break
        case 'drop-before':
        case 'drop-after':
          drop(reply)
          break
        case 'answer':
          sendBytes(reply, fault.status, Buffer.from(JSON.stringify(fault.body ?? {})))
          break
        case 'outage':
          sendBytes(reply, 503, Buffer.from(JSON.stringify({ error: 'temporarily_unavailable' })))
          break
        default:
          break
      }
    })
  }
}
