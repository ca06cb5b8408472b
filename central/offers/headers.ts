import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Flaw } from '../http/answer.ts'
import type { Visit } from '../http/reception.ts'
import type { ProgramRepository } from '../program/repository.ts'
import type { OfferLanguage, Viewer } from './model.ts'

const Correlation = z.uuid()
const ORIGIN_CLIENT = /^(internal|external):[^:\s]+:[^:\s]+$/

/** The caller's correlation id, or one of our own: it comes back in the answer (specification 1 §4.1). */
export function correlationOf(request: FastifyRequest): string {
  const parsed = Correlation.safeParse(request.headers['x-correlation-id'])
  return parsed.success ? parsed.data : randomUUID()
}

/** Breaks of the header rules of specification 1 §4.1. */
export function headerFlaws(request: FastifyRequest, write: boolean): Flaw[] {
  const flaws: Flaw[] = []
  const { headers } = request
  const correlation = headers['x-correlation-id']
  if (correlation !== undefined && !Correlation.safeParse(correlation).success)
    flaws.push({ path: 'X-Correlation-Id', message: 'a UUID is expected' })
  if (!ORIGIN_CLIENT.test(String(headers['x-origin-client'] ?? '')))
    flaws.push({ path: 'X-Origin-Client', message: '<internal or external>:<channel>:<client> is required' })
  if (write && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    flaws.push({ path: 'Content-Type', message: 'application/json is required' })
  const language = headers['accept-language']
  if (language !== undefined && (write || !isLanguage(language)))
    flaws.push({ path: 'Accept-Language', message: write ? 'is not taken on PUT' : 'en-US or fr-CA is expected' })
  return flaws
}

const isLanguage = (value: string): value is OfferLanguage => value === 'en-US' || value === 'fr-CA'

export function languageOf(request: FastifyRequest): OfferLanguage {
  const language = request.headers['accept-language']
  return language !== undefined && isLanguage(language) ? language : 'en-US'
}

/** Who looks, or why nobody may. */
export type Admission = { readonly viewer: Viewer } | { readonly refused: 'token' | 'forbidden' | Flaw }

/**
 * Who looks (specification 1 §5). No token: the public. A member's token: that collector, and then Collector-Number
 * must not be sent. A machine-to-machine token with Collector-Number: that collector, for reads only; alone it speaks
 * for nobody, and sees what the public sees. `write`: a member's token is required.
 */
export function admit(
  request: FastifyRequest,
  bearer: Visit['bearer'],
  program: ProgramRepository,
  write: boolean,
): Admission {
  if (bearer === 'invalid' || (bearer === 'none' && write)) return { refused: 'token' }
  const named = request.headers['collector-number']
  if (named !== undefined && (bearer === 'none' || bearer.kind === 'member'))
    return { refused: { path: 'Collector-Number', message: 'must be sent only with a machine-to-machine token' } }
  if (bearer === 'none') return { viewer: { kind: 'public' } }
  if (bearer.kind === 'partner' && write) return { refused: 'forbidden' }
  const number = bearer.kind === 'member' ? bearer.collectorNumber : named
  if (typeof number !== 'string') return { viewer: { kind: 'public' } }
  const collector = program.findCollector(number)
  if (collector?.state === 'active')
    return { viewer: { kind: 'collector', collectorNumber: number, preferences: collector.preferences } }
  return {
    refused:
      bearer.kind === 'member'
        ? 'token'
        : { path: 'Collector-Number', message: 'is not an active collector of the program' },
  }
}
