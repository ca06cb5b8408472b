import { z } from 'zod'
import {
  AssignBadge,
  ChangePerson,
  NewPerson,
  OneTimePin,
  PeopleList,
  PersonAdded,
} from '../../contracts/staff/session.ts'
import { StaffId } from '../../contracts/core/ids.ts'
import type { Routes } from '../core/http/app.ts'
import { elsewhereOf } from '../store/changes.ts'
import { signedIn } from '../core/http/guards.ts'
import { ProblemError } from '../core/problem.ts'
import { staffOf } from './sign-in.ts'
import { badgeReadsOf } from '../core/devices/reads.ts'
import type { Ctx } from '../core/context.ts'

const byId = z.object({ id: StaffId })
const tags = ['staff']
const manager = { access: 'manager' } as const

/** Who works at the lane, for a manager. */
export const peopleRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
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

    app.get(
      '/api/people',
      {
        schema: { tags, summary: 'Everybody who works or worked here', response: { 200: PeopleList } },
        config: manager,
      },
      () => list(),
    )
    app.post(
      '/api/people',
      {
        schema: {
          tags,
          summary: 'Add a person; they have no PIN yet',
          body: NewPerson,
          response: { 200: PersonAdded },
        },
        config: manager,
      },
      (request) => {
        const { id } = transact((tx) => staff.roster.add(tx, request.body, signedIn(request).id))
        announce()
        return { id, ...list() }
      },
    )
    app.put(
      '/api/people/:id',
      {
        schema: {
          tags,
          summary: 'Change name, role or language of a person, or end or begin their work here',
          params: byId,
          body: ChangePerson,
          response: { 200: PeopleList },
        },
        config: manager,
      },
      (request) => {
        transact((tx) => {
          staff.roster.change(tx, request.params.id, request.body, signedIn(request).id)
        })
        announce()
        return list()
      },
    )
    app.put(
      '/api/people/:id/badge',
      {
        schema: {
          tags,
          summary: 'Give a person the badge that was read',
          params: byId,
          body: AssignBadge,
          response: { 200: PeopleList },
        },
        config: manager,
      },
      (request) => {
        const number = takeBadge(request.body.readId)
        if (number === undefined) throw new ProblemError('badge-unknown')
        transact((tx) => {
          staff.badges.assign(tx, request.params.id, number, signedIn(request).id)
        })
        return list()
      },
    )
    app.post(
      '/api/people/:id/badge/deactivate',
      {
        schema: {
          tags,
          summary: 'Deactivate the badge of a person; it stays known',
          params: byId,
          response: { 200: PeopleList },
        },
        config: manager,
      },
      (request) => {
        transact((tx) => {
          staff.badges.deactivate(tx, request.params.id, signedIn(request).id)
        })
        return list()
      },
    )
    app.post(
      '/api/people/:id/lift-lock',
      {
        schema: {
          tags,
          summary: 'Let a person whose PIN is locked try again at once; stands in the audit trail',
          params: byId,
          response: { 200: PeopleList },
        },
        config: { access: 'manager', command: 'awaited' },
      },
      async (request) => {
        await staff.liftLock(request.params.id, signedIn(request).id)
        return list()
      },
    )
    app.post(
      '/api/people/:id/reset-pin',
      {
        schema: {
          tags,
          summary: 'Give a person a one-time PIN; it is told once',
          params: byId,
          response: { 200: OneTimePin },
        },
        // Its answer holds a PIN: it stays in memory and is on no disk.
        config: { access: 'manager', command: 'awaited' },
      },
      async (request) => ({
        id: request.params.id,
        pin: await staff.resetPin(request.params.id, signedIn(request).id),
      }),
    )
  }
