import type { ApprovalRequest } from '../../contracts/sales/approvals.ts'
import { PROBLEMS, type Problem, type ProblemCode } from '../../contracts/core/errors.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import { problemMessages } from './i18n.ts'
import { isDeepStrictEqual } from 'node:util'

export interface ProblemDetail {
  readonly path: string
  readonly message: string
}

/**
 * Refusal of a request by the backend: `throw new ProblemError('sale-stale')`. The HTTP error handler answers
 * problem+json with the status of the code and the message in every language.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly details: readonly ProblemDetail[] | undefined
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

  messages(): Localized {
    return problemMessages(this.code, this.details)
  }
}

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
 * Throws ProblemError `changed-meanwhile` when a value has changed since a form was opened. `seen`: the value that the
 * form received; undefined when the call comes from no form.
 */
export function refuseChanged(seen: unknown, now: unknown): void {
  // Values are compared in their JSON form, which omits undefined fields.
  const asSent: unknown = now === undefined ? null : JSON.parse(JSON.stringify(now))
  if (seen !== undefined && !isDeepStrictEqual(seen, asSent)) throw new ProblemError('changed-meanwhile')
}
