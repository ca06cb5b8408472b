import { CASH_RESPONSE_CODES, type CashResponseCode } from '../../contracts/central/cash.ts'
import { present, type Answer, type Flaw } from '../http/answer.ts'

/** Nothing was decided that a retry could double: the same request is tried anew. */
const TRY_AGAIN: ReadonlySet<CashResponseCode> = new Set(['0008', '0067', '0092', '0096'])

/** An answer with the status and words that specification 3 §7.2 gives the code. */
export function cashAnswer(code: CashResponseCode, fields: Readonly<Record<string, unknown>>, cancel?: () => void): Answer {
  const { status, message } = CASH_RESPONSE_CODES[code]
  return { status, body: present({ ...fields, responseCode: code, message }), final: !TRY_AGAIN.has(code), ...(cancel ? { cancel } : {}) }
}

/**
 * The answer to a request that does not have the shape it must have. A collector number that is none is 0025;
 * everything else is 0035 and names each flaw. `traceId` comes back where it could be read.
 */
export function badCash(flaws: readonly Flaw[], body: unknown): Answer {
  const read = typeof body === 'object' && body !== null ? body as Record<string, unknown> : {}
  const echo = typeof read.traceId === 'string' ? { traceId: read.traceId } : {}
  const onlyNumber = typeof read.collectorNumber === 'string' && flaws.every((flaw) => flaw.path === 'collectorNumber')
  if (onlyNumber && flaws.length > 0) return cashAnswer('0025', echo)
  return cashAnswer('0035', { ...echo, errors: flaws.map(({ path, message }) => ({ errorCode: '0035', errorReason: path === '' ? message : `${path}: ${message}` })) })
}
