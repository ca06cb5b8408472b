import { CASH_RESPONSE_CODES, type CashResponseCode } from '../../contracts/central/cash.ts'
import { present, type Answer, type Flaw } from '../http/answer.ts'
import { readableFields, type Shape } from '../http/readable.ts'
import { messageOf } from './messages.ts'

/** Nothing was decided that a retry could double: the same request is tried anew. */
const TRY_AGAIN: ReadonlySet<CashResponseCode> = new Set(['0008', '0067', '0092', '0096'])

/**
 * An answer with the status that specification 3 §7.2 gives the code, and its words in the language of
 * `instantMessage`.
 */
export function cashAnswer(
  code: CashResponseCode,
  fields: Readonly<Record<string, unknown>>,
  cancel?: () => void,
): Answer {
  const { status } = CASH_RESPONSE_CODES[code]
  return {
    status,
    body: present({ ...fields, responseCode: code, message: messageOf(code, fields.instantMessage) }),
    final: !TRY_AGAIN.has(code),
    ...(cancel ? { cancel } : {}),
  }
}

/**
 * The answer to a request that does not have the shape it must have. A collector number that is none is 0025;
 * everything else is 0035 and names each flaw. What could be read comes back (§2.4). `now` in epoch milliseconds.
 */
export function badCash(flaws: readonly Flaw[], body: unknown, shape: Shape, now: number): Answer {
  const read = readableFields(body, shape)
  const told = { ...read, transDateTime: new Date(now).toISOString() }
  const onlyNumber = typeof read.collectorNumber === 'string' && flaws.every((flaw) => flaw.path === 'collectorNumber')
  if (onlyNumber && flaws.length > 0) return cashAnswer('0025', told)
  return cashAnswer('0035', {
    ...told,
    errors: flaws.map(({ path, message }) => ({
      errorCode: '0035',
      errorReason: path === '' ? message : `${path}: ${message}`,
    })),
  })
}
