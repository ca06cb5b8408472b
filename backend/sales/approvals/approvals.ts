import type { FastifyRequest } from 'fastify'
import { Approval } from '../../../contracts/sales/sale-changes.ts'
import type { Staff } from '../../../contracts/staff/session.ts'
import { checkSignedIn, signedIn } from '../../core/http/guards.ts'
import { sessionsOf } from '../../core/http/sessions.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, mayApprove, withoutApproval } from './guard.ts'
import { staffOf } from '../../staff/sign-in.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export type Approvals = ReturnType<typeof approvalsOf>

/** Verifies the PIN sent with a command. The approval is valid for this command only. */
export const approvalsOf = perLane((ctx: Ctx) => {
  const staff = staffOf(ctx)
  /**
   * Verifies the approver's PIN and returns the actor with the approver. Throws ProblemError `approver-not-allowed` for
   * a person who may not approve, without verifying the PIN, and the errors of `checkApproval`: wrong PINs count
   * against the actor and never lock out the approver.
   */
  async function approverOf(actor: Staff, approval: Approval): Promise<Who> {
    const named = staff.list().find(({ id }) => id === approval.staffId)
    if (named && !mayApprove(named)) {
      staff.refused(named.id, actor.id, 'approver-not-allowed')
      throw new ProblemError('approver-not-allowed')
    }
    const approver = await staff.checkApproval(approval.staffId, approval.pin, actor.id)
    return {
      actorId: actor.id,
      role: actor.role,
      approval: { by: approver.id, role: approver.role, covers: approval.covers },
    }
  }

  return {
    /**
     * Verifies an approver's PIN before the transaction of the command, because the verification is slow, and sets
     * `request.approved`. Throws ProblemError, also if the actor has signed out in the meantime.
     */
    async prepare(request: FastifyRequest): Promise<void> {
      const approval = Approval.safeParse((request.body as { approval?: unknown } | null | undefined)?.approval)
      if (!approval.success) return
      request.approved = await approverOf(signedIn(request), approval.data)
      checkSignedIn(request, sessionsOf(ctx))
    },
  }
})

declare module 'fastify' {
  interface FastifyRequest {
    approved: Who | null
  }
}

export const whoOf = (request: FastifyRequest): Who => request.approved ?? withoutApproval(signedIn(request))
