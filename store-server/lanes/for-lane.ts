import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { speaksWith } from '../../contracts/store/protocol.ts'
import { refusal } from '../http/server.ts'
import { nameOf, type Caller } from './caller.ts'

/** Which lane calls, as the guard admitted it; null: none. */
export type Identify = (request: FastifyRequest) => Promise<Caller | null>

/** Makes handlers that answer a lane that is known and speaks a version that is spoken here, and refuse any other. */
export const createForLane =
  (identify: Identify) =>
  <Request extends { readonly protocol: number }>(
    schema: z.ZodType<Request>,
    handle: (caller: Caller, body: Request, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const known = await identify(request)
    if (known === null) return reply.code(401).send(refusal('token'))
    const caller = nameOf(known)
    request.caller = caller
    const read = schema.safeParse(request.body)
    if (!read.success) return reply.code(400).send(refusal('unreadable'))
    if (!speaksWith(read.data.protocol)) return reply.code(409).send(refusal('protocol'))
    return handle(caller, read.data, request, reply)
  }
