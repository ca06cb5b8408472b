import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { NO_TOKEN_BODY } from '../identity/artifacts.ts'
import { type Flaw, flawsOf } from './answer.ts'

/** Who may call a route, in the terms of OpenAPI: `partner` is a machine-to-machine token, `member` a collector's. */
export const PARTNER = [{ partner: [] }]
export const MEMBER = [{ member: [] }]
export const EITHER = [...MEMBER, ...PARTNER]

/**
 * A header of a route: the rule that checks requests, the words of a refusal, and what the description says. A header
 * without a description is checked and not described.
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

/** The header rules of the transaction-history service, and of the health of the offer-state service. */
export const CHANNEL_HEADERS = z.object({
  'Content-Type': JSON_TYPE,
  // Which channels there are is not shown: any is served, and none is served differently.
  'Channel-Code': header('is required', (value) => value !== '', 'The calling channel', 'POS'),
  'Accept-Language': header('EN or FR is expected', (value) => /^(EN|FR)$/i.test(value), 'EN or FR', 'EN').optional(),
})

/** Breaks of the rules that a route declares for its headers, in the order of the declaration. */
export function headerFlaws(rules: z.ZodObject, headers: IncomingHttpHeaders): Flaw[] {
  const named = Object.keys(rules.shape).map((name) => [name, headers[name.toLowerCase()]])
  const parsed = rules.safeParse(Object.fromEntries(named))
  return parsed.success ? [] : flawsOf(parsed.error)
}

/** One answer of a route. `type: 'null'`: it has no body. */
export interface DeclaredAnswer {
  readonly description: string
  readonly type?: 'null'
  readonly content?: Readonly<Record<string, { readonly schema: z.ZodType; readonly example: unknown }>>
}
/** Answers by status. */
export type DeclaredAnswers = Readonly<Record<number, DeclaredAnswer>>

export const answerOf = (
  description: string,
  schema: z.ZodType,
  example: unknown,
  type = 'application/json',
): DeclaredAnswer => ({ description, content: { [type]: { schema, example } } })

/** An answer that has a message and nothing else. */
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

/** A made-up offer, by whose id the examples of several routes call it. */
export const OFFER_ID = '3f7c1d52-8a41-4c0e-9b6d-5e2f4a6b8c0d'
