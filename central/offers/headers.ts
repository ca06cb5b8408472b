import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Flaw } from '../http/answer.ts'
import type { Artifacts } from '../identity/artifacts.ts'
import { bearerOf } from '../identity/bearer.ts'
import type { OfferLanguage, Viewer } from './model.ts'

const Correlation = z.uuid()
const ORIGIN_CLIENT = /^(internal|external):[^:\s]+:[^:\s]+$/

/** The caller's correlation id, or one of our own: it comes back in the answer (specification 1 §4.1). */
export function correlationOf(request: FastifyRequest): string {
  const parsed = Correlation.safeParse(request.headers['x-correlation-id'])
  return parsed.success ? parsed.data : randomUUID()
}

/** Breaks of the header rules of specification 1 §4.1. */
export function headerFlaws(request: FastifyRequest): Flaw[] {
  const flaws: Flaw[] = []
  const { headers } = request
  const correlation = headers['x-correlation-id']
  if (correlation !== undefined && !Correlation.safeParse(correlation).success) flaws.push({ path: 'X-Correlation-Id', message: 'a UUID is expected' })
  if (!ORIGIN_CLIENT.test(String(headers['x-origin-client'] ?? ''))) flaws.push({ path: 'X-Origin-Client', message: '<internal or external>:<channel>:<client> is required' })
  const language = headers['accept-language']
  // `*` is what HTTP clients send for "no preference".
  if (language !== undefined && language !== '*' && !isLanguage(language)) flaws.push({ path: 'Accept-Language', message: 'en-US or fr-CA is expected' })
  return flaws
}

const isLanguage = (value: string): value is OfferLanguage => value === 'en-US' || value === 'fr-CA'

export function languageOf(request: FastifyRequest): OfferLanguage {
  const language = request.headers['accept-language']
  return language !== undefined && isLanguage(language) ? language : 'en-US'
}

/**
 * Who looks (specification 1 §5). No token: the public. A partner's token with Collector-Number: that collector, for reads.
 * A partner's token alone speaks for nobody, and sees what the public sees. A token that does not stand: undefined.
 */
export function viewerOf(request: FastifyRequest, artifacts: Artifacts): Viewer | undefined {
  if (request.headers.authorization === undefined) return { kind: 'public' }
  if (!bearerOf(request, artifacts)) return undefined
  const number = request.headers['collector-number']
  return typeof number === 'string' ? { kind: 'collector', collectorNumber: number } : { kind: 'public' }
}
