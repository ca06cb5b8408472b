import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Flaw } from '../http/answer.ts'

const ORIGIN_CLIENT = /^(internal|external):[^:\s,]+:[^:\s,]+$/
const LocalTime = z.iso.datetime({ local: true })

/** Header rules of the offer-state service (specification 2 §4.1). */
export function headerFlaws({ headers }: FastifyRequest, operation: 'health' | 'read' | 'write'): Flaw[] {
  const flaws: Flaw[] = []
  // The table lists it for all calls, those without content too.
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    flaws.push({ path: 'Content-Type', message: 'application/json is required' })
  if (operation === 'health') {
    if (!headers['channel-code']) flaws.push({ path: 'Channel-Code', message: 'is required' })
    const language = headers['accept-language']
    if (language !== undefined && !/^(EN|FR)$/i.test(language))
      flaws.push({ path: 'Accept-Language', message: 'EN or FR is expected' })
    return flaws
  }
  if (!/^[\x21-\x7e]{1,128}$/.test(String(headers['x-correlation-id'] ?? '')))
    flaws.push({ path: 'x-correlation-id', message: 'is required' })
  if (!ORIGIN_CLIENT.test(String(headers['x-origin-client'] ?? '')))
    flaws.push({ path: 'x-origin-client', message: '<internal or external>:<channel>:<client> is required' })
  const localTime = headers['x-local-time']
  if (operation === 'read' && (!LocalTime.safeParse(localTime).success || String(localTime).endsWith('Z')))
    flaws.push({ path: 'x-local-time', message: 'the local date-time without a zone is required' })
  if (operation === 'write' && headers.accept !== undefined && !/application\/(json|\*)|\*\/\*/i.test(headers.accept))
    flaws.push({ path: 'Accept', message: 'application/json is expected' })
  return flaws
}
