import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { speaksWith } from '../../contracts/store/protocol.ts'
import { refusal } from '../http/server.ts'
import type { Caller } from './caller.ts'

/** Which lane’s token a call carries; null: nobody’s. */
export type Identify = (request: FastifyRequest) => Promise<Caller | null>

/** Whatever only lanes may call begins so. */
const OF_LANES = '/lane/'

/** No more of what stands about the lane: it would come into answers and logs. */
const nameOf = ({ store, lane }: Caller): Caller => ({ store, lane })

/**
 * Whoever is no lane is refused before a byte of what comes with the call is kept: megabytes of many callers at once
 * would fill the memory for nobody. For the routes that are added to this scope.
 */
export function refuseStrangers(scope: FastifyInstance, identify: Identify): void {
  scope.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith(OF_LANES)) return undefined
    const known = await identify(request)
    if (known === null) return reply.code(401).send(refusal('token'))
    request.caller = nameOf(known)
    return undefined
  })
}

/** Makes handlers that answer a lane that is known and speaks a version that is spoken here, and refuse any other. */
export const createForLane =
  (identify: Identify) =>
  <Request extends { readonly protocol: number }>(
    schema: z.ZodType<Request>,
    handle: (caller: Caller, body: Request, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    // Where strangers are refused at the door, it was looked at there.
    const known = request.caller ?? (await identify(request))
    if (known === null) return reply.code(401).send(refusal('token'))
    const caller = nameOf(known)
    request.caller = caller
    const read = schema.safeParse(request.body)
    if (!read.success) return reply.code(400).send(refusal('unreadable'))
    if (!speaksWith(read.data.protocol)) return reply.code(409).send(refusal('protocol'))
    return handle(caller, read.data, request, reply)
  }
