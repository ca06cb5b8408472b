import { create } from 'zustand'
import type { z } from 'zod'
import type { Approval, ApprovalAction } from '../../contracts/api/sale-changes.ts'
import { ApiProblem } from '../api/problem.ts'
import { report } from './notices.ts'

/** The PIN of whoever approves, before the contract has branded it. */
export type GivenApproval = z.input<typeof Approval>

/** A command that was refused for want of a supervisor, ready to go again with a PIN in it. */
export interface AskedApproval {
  readonly action: ApprovalAction
  /** Throws ApiProblem. */
  readonly attempt: (approval: GivenApproval) => Promise<void>
  /** What the command itself was refused for, with the PIN in it; told as a notice where nothing else is said. */
  readonly refused?: (error: unknown) => Promise<void>
}

export const useApproval = create<{ readonly asked: AskedApproval | null }>()(() => ({ asked: null }))

export const askApproval = (asked: AskedApproval): void => useApproval.setState({ asked })
export const endApproval = (): void => useApproval.setState({ asked: null })

/** A refusal that a supervisor's PIN would lift. */
export const wantsApproval = (error: unknown): error is ApiProblem => error instanceof ApiProblem && error.code === 'approval-required'

/** Every one, so that a new action cannot be left out. */
const ACTIONS = { discount: true, price: true, 'line-void': true, exemption: true, return: true, 'return-unrecorded': true } as const satisfies Record<ApprovalAction, true>
const isAction = (name: string | undefined): name is ApprovalAction => name !== undefined && Object.hasOwn(ACTIONS, name)

/** What has to be approved, as the refusal names it. */
export function approvalAction({ details }: ApiProblem): ApprovalAction {
  const named = details.find(({ path }) => path === 'action')?.message
  return isAction(named) ? named : 'discount'
}

/** What is wrong with the PIN itself: told where it is typed, and the question stays. Anything else is about the command. */
const OF_THE_PIN = ['pin-wrong', 'pin-locked', 'pin-not-set', 'approver-not-allowed']

/** Runs what was asked for with the PIN in it. Throws ApiProblem for a PIN that does not do. */
export async function giveApproval({ attempt, refused }: AskedApproval, approval: GivenApproval): Promise<void> {
  try {
    await attempt(approval)
  } catch (error) {
    if (error instanceof ApiProblem && OF_THE_PIN.includes(error.code)) throw error
    endApproval()
    if (refused) await refused(error)
    else report(error)
    return
  }
  endApproval()
}
