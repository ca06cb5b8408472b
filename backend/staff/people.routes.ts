import { z } from 'zod'
import { PeopleList } from '../../contracts/staff/session.ts'
import { elsewhereOf } from '../store/changes.ts'
import type { App } from '../core/http/app.ts'
import { staffContract } from '../../contracts/staff/staff.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'
import { ProblemError } from '../core/problem.ts'
import { staffOf } from './sign-in.ts'
import { badgeReadsOf } from '../core/devices/reads.ts'
import type { Ctx } from '../core/context.ts'

/** Who works at the lane, for a manager. */
export function peopleRoutes(ctx: Ctx, app: App): void {
  const { transact, publish } = ctx
  const staff = staffOf(ctx)
  const takeBadge = badgeReadsOf(ctx).take
  const list = (): z.infer<typeof PeopleList> => {
    const locks = new Map(staff.locks().map((lock) => [lock.id, lock]))
    return {
      people: staff.roster.all().map(({ profileEntry, ...person }) => ({
        pin: 'none' as const,
        lockedUntil: null,
        approvalsLockedUntil: null,
        mayNotApprove: false,
        badge: 'none' as const,
        ...locks.get(person.id),
        ...person,
        ofProfile: profileEntry !== null,
        ...elsewhereOf(staff.roster.changedAt(person.id), staff.nameOf),
      })),
    }
  }
  const announce = (): void => {
    transact.afterCommit(() => {
      publish({ type: 'staff-changed' })
    })
  }

  serve(app, staffContract['GET /people'], () => list())
  serve(app, staffContract['POST /people'], (request) => {
    const { id } = transact((tx) => staff.roster.add(tx, request.body, signedIn(request).id))
    announce()
    return { id, ...list() }
  })
  serve(app, staffContract['PUT /people/:id'], (request) => {
    transact((tx) => {
      staff.roster.change(tx, request.params.id, request.body, signedIn(request).id)
    })
    announce()
    return list()
  })
  serve(app, staffContract['PUT /people/:id/badge'], (request) => {
    const number = takeBadge(request.body.readId)
    if (number === undefined) throw new ProblemError('badge-unknown')
    transact((tx) => {
      staff.badges.assign(tx, request.params.id, number, signedIn(request).id)
    })
    return list()
  })
  serve(app, staffContract['POST /people/:id/badge/deactivate'], (request) => {
    transact((tx) => {
      staff.badges.deactivate(tx, request.params.id, signedIn(request).id)
    })
    return list()
  })
  serve(app, staffContract['POST /people/:id/lift-lock'], async (request) => {
    await staff.liftLock(request.params.id, signedIn(request).id)
    return list()
  })
  serve(app, staffContract['POST /people/:id/reset-pin'], async (request) => ({
    id: request.params.id,
    pin: await staff.resetPin(request.params.id, signedIn(request).id),
  }))
}
