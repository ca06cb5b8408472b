import { create } from 'zustand'
import type { z } from 'zod'
import type { ApprovalRequest } from '../../contracts/sales/approvals.ts'
import type { Approval } from '../../contracts/sales/sale-changes.ts'
import { ApiProblem } from '../core/api/problem.ts'
import { report } from '../core/state/notices.ts'

/** The approver's person and PIN as sent, before parsing. */
export type ApprovalInput = z.input<typeof Approval>

export interface PendingApproval {
  readonly request: ApprovalRequest
  /** Whether the sale, and so the change to approve, has changed since the first request. */
  readonly changed?: boolean
  /** Repeats the command with the approval. Throws ApiProblem. */
  readonly attempt: (approval: ApprovalInput) => Promise<void>
  /** Handles a rejection of the repeated command; by default a notice. */
  readonly refused?: (error: unknown) => Promise<void>
}

export const useApproval = create<{ readonly asked: PendingApproval | null }>()(() => ({ asked: null }))

export const askApproval = (asked: PendingApproval): void => useApproval.setState({ asked })
export const endApproval = (): void => useApproval.setState({ asked: null })

export const needsApproval = (error: unknown): error is ApiProblem & { readonly approval: ApprovalRequest } =>
  error instanceof ApiProblem && error.code === 'approval-required' && error.approval !== null

/**
 * Codes of problems with the PIN itself: the dialog shows them and stays open. All other problems concern the command.
 */
const PIN_PROBLEMS = [
  'pin-wrong',
  'pin-not-set',
  'pin-change-required',
  'approval-locked',
  'approver-locked',
  'approver-not-allowed',
]

/**
 * Repeats the command with the PIN, for exactly the change that was shown. Throws ApiProblem for a problem with the
 * PIN.
 */
export async function giveApproval(
  asked: PendingApproval,
  { staffId, pin }: Pick<ApprovalInput, 'staffId' | 'pin'>,
): Promise<void> {
  const { request, attempt, refused } = asked
  try {
    await attempt({ staffId, pin, covers: request.covers })
  } catch (error) {
    if (needsApproval(error)) return askApproval({ ...asked, request: error.approval, changed: true })
    if (error instanceof ApiProblem && PIN_PROBLEMS.includes(error.code)) throw error
    endIf(asked)
    if (refused) await refused(error)
    else report(error)
    return
  }
  endIf(asked)
}

/**
 * Runs a form's command. If it needs an approval, opens the approval dialog over the form, which repeats the command
 * with the PIN. Throws all other rejections.
 */
export async function withApproval(run: (approval?: ApprovalInput) => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!needsApproval(error)) throw error
    askApproval({ request: error.approval, attempt: run })
  }
}

/** Closes the dialog of this approval only: the approved command may have opened the next one already. */
function endIf(asked: PendingApproval): void {
  if (useApproval.getState().asked === asked) endApproval()
}
