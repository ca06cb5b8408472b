import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type LaneMode, speaksWith } from '../../../contracts/store/protocol.ts'
import { refusal } from '../server.ts'
import type { Querying } from '../db/postgres.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The lane that calls, once the guard has admitted it. */
    caller: Caller | null
  }
}

/** Which lane calls. */
export interface Caller {
  readonly store: string
  readonly lane: string
  /** The enrolment that its token is of; left out where lanes are not enrolled, as in tests. */
  readonly codeId?: string
}

/** No more of what stands about the lane: it would come into answers and logs. */
export const nameOf = ({ store, lane, codeId }: Caller): Caller =>
  codeId === undefined ? { store, lane } : { store, lane, codeId }

/** Answers a lane that the guard admitted and whose version is spoken here; refuses any other caller. */
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
    if (!speaksWith(read.data.protocol)) return reply.code(409).send(refusal('protocol'))
    return handle(caller, read.data, request, reply)
  }

/** Whether all lanes of a store train, or sell; null: none has said so yet. */
export async function modeOf(on: Querying, store: string): Promise<LaneMode | null> {
  const { rows } = await on.query<{ mode: LaneMode }>('SELECT mode FROM store_mode WHERE store = $1', [store])
  return rows[0]?.mode ?? null
}

/** Whether the store is of this mode. The first of its lanes that says one decides, whichever server it asks. */
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
