import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type LaneMode, supportsProtocol } from '../../../contracts/store/protocol.ts'
import { refusal } from '../server.ts'
import type { Querying } from '../db/postgres.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

export interface Caller {
  readonly store: string
  readonly lane: string
  /** Id of the enrolment code that created the caller's token; undefined without enrolment, as in tests. */
  readonly codeId?: string
}

/** Copies only the caller's fields listed here, because callers are written to answers and logs. */
export const nameOf = ({ store, lane, codeId }: Caller): Caller =>
  codeId === undefined ? { store, lane } : { store, lane, codeId }

export const forLane =
  <Request extends { readonly protocol: number }>(
    schema: z.ZodType<Request>,
    handle: (caller: Caller, body: Request, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const { caller } = request
    if (caller === null) return reply.code(401).send(refusal('token'))
    const read = schema.safeParse(request.body)
    if (!read.success) return reply.code(400).send(refusal('unreadable'))
    if (!supportsProtocol(read.data.protocol)) return reply.code(409).send(refusal('protocol'))
    return handle(caller, read.data, request, reply)
  }

export async function modeOf(on: Querying, store: string): Promise<LaneMode | null> {
  const { rows } = await on.query<{ mode: LaneMode }>('SELECT mode FROM store_mode WHERE store = $1', [store])
  return rows[0]?.mode ?? null
}

export async function isOfMode(on: Querying, { store, lane }: Caller, mode: LaneMode): Promise<boolean> {
  const known = await modeOf(on, store)
  if (known !== null) return known === mode
  await on.query('INSERT INTO store_mode (store, mode, lane) VALUES ($1, $2, $3) ON CONFLICT (store) DO NOTHING', [
    store,
    mode,
    lane,
  ])
  return (await modeOf(on, store)) === mode
}
