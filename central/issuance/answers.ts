import { ISSUANCE_ERROR_CODES, type IssuanceErrorCode } from '../../contracts/central/issuance.ts'
import { present, type Answer, type Flaw } from '../http/answer.ts'

/** The answer to a request that does not have the shape it must have. An error carries `responseCode` (specification 3 §1). */
export function badIssuance(flaws: readonly Flaw[]): Answer {
  return {
    status: 400,
    body: {
      responseCode: '400',
      message: 'Bad request',
      errors: flaws.map(({ path, message }) => ({ errorCode: '400', errorReason: path === '' ? message : `${path}: ${message}` })),
    },
    final: false,
  }
}

export interface IssuanceError { readonly errorCode: IssuanceErrorCode, readonly errorReason: string }

export const issuanceError = (code: IssuanceErrorCode): IssuanceError => ({ errorCode: code, errorReason: ISSUANCE_ERROR_CODES[code].message })

/** A rejection with one of the codes of §7.1. */
export function rejected(code: IssuanceErrorCode, echo: Readonly<Record<string, unknown>>): Answer {
  const error = issuanceError(code)
  return {
    status: ISSUANCE_ERROR_CODES[code].status,
    body: present({ ...echo, responseCode: code, message: error.errorReason, errors: [error] }),
    final: true,
  }
}

/**
 * The answer when another transaction of the same collector is being processed (§4.2 rule 5). Which error it is, is not
 * shown: 500, the one status that tells the caller to try again.
 */
export const collectorBusy = (): Answer => ({
  status: 500,
  body: { responseCode: '500', message: 'Another transaction of this collector is being processed' },
  final: false,
})
