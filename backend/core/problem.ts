import type { ApprovalRequest } from '../../contracts/sales/approvals.ts'
import { PROBLEMS, type Problem, type ProblemCode } from '../../contracts/core/errors.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import { problemMessages } from './i18n.ts'
import { isDeepStrictEqual } from 'node:util'

export interface ProblemDetail {
  /** Where in the request, as a JSON pointer ("/quantity"), or the name of a fact ("lockedUntil"). */
  readonly path: string
  readonly message: string
}

/**
 * What a service throws when it refuses a call: `throw new ProblemError('sale-stale')`.
 * The HTTP error handler answers it as problem+json with the status of its code and the words in every language.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly details: readonly ProblemDetail[] | undefined
  /** With `approval-required`: what would be done. */
  readonly approval: ApprovalRequest | undefined

  constructor(
    code: ProblemCode,
    details?: readonly ProblemDetail[],
    options?: { cause?: unknown; approval?: ApprovalRequest },
  ) {
    super(code, options)
    this.code = code
    this.details = details
    this.approval = options?.approval
  }

  /** What happened and what to do, in every language. */
  words(): Localized {
    return problemMessages(this.code, this.details)
  }
}

/** The RFC 9457 body of a refused call. */
export function problemBody(
  code: ProblemCode,
  correlationId: string,
  details?: readonly ProblemDetail[],
  approval?: ApprovalRequest,
): Problem {
  const messages = problemMessages(code, details)
  return {
    type: `urn:milepost:problem:${code}`,
    title: messages[FIRST_LOCALE],
    status: PROBLEMS[code],
    code,
    messages,
    correlationId,
    ...(details ? { details: [...details] } : {}),
    ...(approval ? { approval } : {}),
  }
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/**
 * A form changes what its reader saw. `seen`: that, as it came from the API; undefined where no form is behind the
 * change. Throws ProblemError `changed-meanwhile` where it is another by now.
 */
export function refuseChanged(seen: unknown, now: unknown): void {
  // As it went over the wire: what is undefined was not in it.
  const asSent: unknown = now === undefined ? null : JSON.parse(JSON.stringify(now))
  if (seen !== undefined && !isDeepStrictEqual(seen, asSent)) throw new ProblemError('changed-meanwhile')
}
