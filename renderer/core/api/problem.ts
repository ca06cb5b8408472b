import type { ApprovalRequest } from '../../../contracts/sales/approvals.ts'
import type { ProblemCode } from '../../../contracts/core/errors.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'

/**
 * A problem code of the local API, or a failure that only the window can detect: no answer, or another program at the
 * lane's address.
 */
export type FailureCode = ProblemCode | 'terminal-unreachable' | 'other-program'

/**
 * A failed call. `messages` are the backend's messages for the person at the lane, null if it did not answer; support
 * asks for the `correlationId`.
 */
export class ApiProblem extends Error {
  readonly code: FailureCode
  readonly messages: Localized | null
  readonly correlationId: string | null
  readonly details: readonly { path: string; message: string }[]
  /** The change that needs an approval; null for other problems. */
  readonly approval: ApprovalRequest | null

  constructor(
    code: FailureCode,
    messages: Localized | null,
    correlationId: string | null,
    details: readonly { path: string; message: string }[] = [],
    approval: ApprovalRequest | null = null,
  ) {
    super(code)
    this.name = 'ApiProblem'
    this.code = code
    this.messages = messages
    this.correlationId = correlationId
    this.details = details
    this.approval = approval
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Parses a problem+json body; anything else becomes `internal` without messages. */
export function parseProblem(body: unknown): ApiProblem {
  if (!isRecord(body) || typeof body['code'] !== 'string') return new ApiProblem('internal', null, null)
  const messages = body['messages']
  const byLocale = isRecord(messages) ? perLocale((locale) => messages[locale]) : {}
  const isComplete = Object.values(byLocale).every((texts) => typeof texts === 'string')
  const localized = isRecord(messages) && isComplete ? (byLocale as Localized) : null
  const details = Array.isArray(body['details'])
    ? body['details'].flatMap((detail: unknown) =>
        isRecord(detail) && typeof detail['path'] === 'string' && typeof detail['message'] === 'string'
          ? [{ path: detail['path'], message: detail['message'] }]
          : [],
      )
    : []
  const correlationId = typeof body['correlationId'] === 'string' ? body['correlationId'] : null
  const approval = isRecord(body['approval']) ? (body['approval'] as ApprovalRequest) : null
  return new ApiProblem(body['code'] as ProblemCode, localized, correlationId, details, approval)
}

/** Time at which a PIN is unlocked, if the problem contains it (ISO 8601). */
export const lockedUntil = (problem: ApiProblem): string | null =>
  problem.details.find((detail) => detail.path === 'lockedUntil')?.message ?? null
