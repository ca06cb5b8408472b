import { randomUUID } from 'node:crypto'
import { ISSUANCE_ERROR_CODES, type IssuanceErrorCode } from '../../contracts/central/issuance.ts'
import { present, type Answer, type Flaw } from '../http/answer.ts'

export interface IssuanceError {
  readonly errorCode: IssuanceErrorCode
  readonly errorReason: string
}

export const issuanceError = (code: IssuanceErrorCode): IssuanceError => ({
  errorCode: code,
  errorReason: ISSUANCE_ERROR_CODES[code].message,
})

/**
 * What every answer carries whatever it says: an id of its own, and the fields of the request (specification 3 §2.3).
 */
const carried = (echo: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...echo,
  transactionId: randomUUID(),
})

/**
 * The answer to a request that cannot be carried out as it is. An error carries `responseCode` (specification 3 §1);
 * `echo` is what could be read of the request.
 */
export function badIssuance(flaws: readonly Flaw[], echo: Readonly<Record<string, unknown>>): Answer {
  return {
    status: 400,
    body: present({
      ...carried(echo),
      responseCode: '400',
      message: 'Bad request',
      errors: flaws.map(({ path, message }) => ({
        errorCode: '400',
        errorReason: path === '' ? message : `${path}: ${message}`,
      })),
    }),
    final: false,
  }
}

/** The entries of a partner's call that was refused: each with the status and the reason that §2.3 gives an entry. */
export const refusedEntries = (given: readonly object[], code: IssuanceErrorCode): object[] =>
  given.map((entry) => ({ ...entry, status: 'REJECTED', errors: [issuanceError(code)] }))

/** A rejection with one of the codes of §7.1. */
export function rejected(code: IssuanceErrorCode, echo: Readonly<Record<string, unknown>>): Answer {
  const error = issuanceError(code)
  return {
    status: ISSUANCE_ERROR_CODES[code].status,
    body: present({ ...carried(echo), responseCode: code, message: error.errorReason, errors: [error] }),
    final: true,
  }
}

/**
 * The answer when another transaction of the same collector is being processed (§4.2 rule 5). Which error it is, is not
 * shown: 500, the one status that tells the caller to try again.
 */
export const collectorBusy = (echo: Readonly<Record<string, unknown>>): Answer => ({
  status: 500,
  body: { ...carried(echo), responseCode: '500', message: 'Another transaction of this collector is being processed' },
  final: false,
})
