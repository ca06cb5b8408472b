import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { NO_TOKEN_BODY } from '../identity/artifacts.ts'
import { type Flaw, flawsOf } from './answer.ts'

/** Security requirements for OpenAPI: `partner` is a machine-to-machine token, `member` a collector's token. */
export const PARTNER = [{ partner: [] }]
export const MEMBER = [{ member: [] }]
export const EITHER = [...MEMBER, ...PARTNER]

/**
 * Declares a header with its check, its error message and its description. A header without a description is checked
 * but not documented.
 */
export const header = (
  flaw: string,
  rule: (value: string) => boolean,
  description?: string,
  example?: string,
): z.ZodString =>
  z
    .string({ error: flaw })
    .refine(rule, flaw)
    .meta({
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { examples: [example] }),
    })

export const JSON_TYPE = header(
  'application/json is required',
  (value) => /^application\/json\s*(;|$)/i.test(value),
  'application/json',
  'application/json',
)

/** Headers of the transaction-history service and of the offer-state health call. */
export const CHANNEL_HEADERS = z.object({
  'Content-Type': JSON_TYPE,
  // The specification does not list the channels, so any value is accepted and has no effect.
  'Channel-Code': header('is required', (value) => value !== '', 'The calling channel', 'POS'),
  'Accept-Language': header('EN or FR is expected', (value) => /^(EN|FR)$/i.test(value), 'EN or FR', 'EN').optional(),
})

export function headerFlaws(rules: z.ZodObject, headers: IncomingHttpHeaders): Flaw[] {
  const named = Object.keys(rules.shape).map((name) => [name, headers[name.toLowerCase()]])
  const parsed = rules.safeParse(Object.fromEntries(named))
  return parsed.success ? [] : flawsOf(parsed.error)
}

/** Documented answer of a route. `type: 'null'`: no body. */
export interface DeclaredAnswer {
  readonly description: string
  readonly type?: 'null'
  readonly content?: Readonly<Record<string, { readonly schema: z.ZodType; readonly example: unknown }>>
}
export type DeclaredAnswers = Readonly<Record<number, DeclaredAnswer>>

export const answerOf = (
  description: string,
  schema: z.ZodType,
  example: unknown,
  type = 'application/json',
): DeclaredAnswer => ({ description, content: { [type]: { schema, example } } })

export const messageOf = (description: string, text: string): DeclaredAnswer =>
  answerOf(description, z.object({ message: z.string() }), { message: text })

export const NO_TOKEN = messageOf(
  'Missing or invalid bearer token: a message and no response code',
  NO_TOKEN_BODY.message,
)
export const FLAWED = answerOf(
  'Bad request: every flaw is named',
  z.object({ message: z.string(), errors: z.array(z.object({ errorCode: z.string(), errorReason: z.string() })) }),
  { message: 'Bad request', errors: [{ errorCode: '400', errorReason: 'region: Invalid option' }] },
)
export const NO_OFFER = messageOf('No such offer for this collector; nothing was changed', 'There is no such offer')
export const DONE: DeclaredAnswer = { description: 'Done; no body', type: 'null' }

export const OFFER_ID = '3f7c1d52-8a41-4c0e-9b6d-5e2f4a6b8c0d'
