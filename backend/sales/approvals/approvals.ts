import type { FastifyRequest } from 'fastify'
import { Approval } from '../../../contracts/sales/sale-changes.ts'
import type { Staff } from '../../../contracts/staff/session.ts'
import { admitStill, signedIn } from '../../core/http/guards.ts'
import { sessionsOf } from '../../core/http/sessions.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, mayApprove, onOwnWord } from './guard.ts'
import { staffOf } from '../../staff/sign-in.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export type Approvals = ReturnType<typeof approvalsOf>

/** Turns the PIN beside a command into the person who approves it: this command alone, since nothing is kept of it. */
export const approvalsOf = perLane((ctx: Ctx) => {
  const staff = staffOf(ctx)
  /**
   * Who does this, and with whose PIN. Throws ProblemError `approver-not-allowed` for a person who may not approve,
   * before any guess is counted, and what `checkApproval` throws: wrong PINs count against who asks, and lock nobody
   * out of signing in.
   */
  async function who(actor: Staff, approval: Approval): Promise<Who> {
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
     * Checks the PIN beside a command, where there is one: it takes its time, and no transaction waits for it. Throws
     * ProblemError, also where the person who asked has signed out meanwhile.
     */
    async prepare(request: FastifyRequest): Promise<void> {
      const approval = Approval.safeParse((request.body as { approval?: unknown } | null | undefined)?.approval)
      if (!approval.success) return
      request.approved = await who(signedIn(request), approval.data)
      admitStill(request, sessionsOf(ctx))
    },
  }
})

declare module 'fastify' {
  interface FastifyRequest {
    /** Who gives a command with whose PIN, where one came beside it; checked before its transaction opens. */
    approved: Who | null
  }
}

/** Who gives this command, and with whose PIN beside it. */
export const whoOf = (request: FastifyRequest): Who => request.approved ?? onOwnWord(signedIn(request))
