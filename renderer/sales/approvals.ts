import { create } from 'zustand'
import type { z } from 'zod'
import type { ApprovalRequest } from '../../contracts/sales/approvals.ts'
import type { Approval } from '../../contracts/sales/sale-changes.ts'
import { ApiProblem } from '../core/api/problem.ts'
import { report } from '../core/state/notices.ts'

/** The PIN of whoever approves, before the contract has branded it. */
export type GivenApproval = z.input<typeof Approval>

/** A command that was refused for want of a supervisor, ready to go again with a PIN in it. */
export interface AskedApproval {
  /** What would be done, as the backend says it. */
  readonly request: ApprovalRequest
  /** It is another than the one that was shown first: the sale has changed meanwhile. */
  readonly changed?: boolean
  /** Throws ApiProblem. */
  readonly attempt: (approval: GivenApproval) => Promise<void>
  /** What the command itself was refused for, with the PIN in it; told as a notice where nothing else is said. */
  readonly refused?: (error: unknown) => Promise<void>
}

export const useApproval = create<{ readonly asked: AskedApproval | null }>()(() => ({ asked: null }))

export const askApproval = (asked: AskedApproval): void => useApproval.setState({ asked })
export const endApproval = (): void => useApproval.setState({ asked: null })

/** A refusal that a supervisor's PIN would lift, with what that would do. */
export const wantsApproval = (error: unknown): error is ApiProblem & { readonly approval: ApprovalRequest } =>
  error instanceof ApiProblem && error.code === 'approval-required' && error.approval !== null

/**
 * What is wrong with the PIN itself: told where it is typed, and the question stays. Anything else is about the
 * command.
 */
const OF_THE_PIN = [
  'pin-wrong',
  'pin-not-set',
  'pin-change-required',
  'approval-locked',
  'approver-locked',
  'approver-not-allowed',
]

/**
 * Runs what was asked for with the PIN in it: for exactly what was shown. Throws ApiProblem for a PIN that does not do.
 */
export async function giveApproval(
  asked: AskedApproval,
  { staffId, pin }: Pick<GivenApproval, 'staffId' | 'pin'>,
): Promise<void> {
  const { request, attempt, refused } = asked
  try {
    await attempt({ staffId, pin, covers: request.covers })
  } catch (error) {
    if (wantsApproval(error)) return askApproval({ ...asked, request: error.approval, changed: true })
    if (error instanceof ApiProblem && OF_THE_PIN.includes(error.code)) throw error
    endIf(asked)
    if (refused) await refused(error)
    else report(error)
    return
  }
  endIf(asked)
}

/**
 * Runs what a form asked for; where a supervisor must approve it, it goes again with their PIN, and the form stays as
 * it is. Throws what else it is refused for.
 */
export async function withApproval(run: (approval?: GivenApproval) => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!wantsApproval(error)) throw error
    askApproval({ request: error.approval, attempt: run })
  }
}

/** What was approved may have asked for the next approval already. */
function endIf(asked: AskedApproval): void {
  if (useApproval.getState().asked === asked) endApproval()
}
