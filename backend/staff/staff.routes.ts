import type { FastifyRequest } from 'fastify'
import type { Staff, PeopleList } from '../../contracts/staff/session.ts'
import type { App } from '../core/http/app.ts'
import { terminalContract, staffContract } from '../../contracts/staff/staff.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn, windowOf } from '../core/http/guards.ts'
import { ProblemError } from '../core/problem.ts'
import { staffOf } from './sign-in.ts'
import { sessionsOf } from '../core/http/sessions.ts'
import { recordOf, plainTransactOf } from '../core/record.ts'
import { programOf } from '../core/program/lane-program.ts'
import { actingWindowOf } from '../core/http/acting-window.ts'
import { badgeReadsOf } from '../core/devices/reads.ts'
import type { Ctx } from '../core/context.ts'
import type { z } from 'zod'
import { elsewhereOf } from '../store/changes.ts'
import { settingsRoutes } from './settings/settings.ts'
import { waitingChangesRoutes } from './waiting-changes.ts'
import { auditRoutes } from './audit.ts'

export function staffRoutes(ctx: Ctx, app: App): void {
  windowRoutes(ctx, app)
  signInRoutes(ctx, app)
  peopleRoutes(ctx, app)
  settingsRoutes(ctx, app)
  waitingChangesRoutes(ctx, app)
  auditRoutes(ctx, app)
}

export function windowRoutes(ctx: Ctx, app: App): void {
  const sessions = sessionsOf(ctx)
  const onLinkRequested = programOf(ctx).onLinkRequested
  serve(app, terminalContract['POST /session'], async (request) => {
    const { launch, nonce } = request.body
    const opened = sessions.open(launch, nonce, hostOf(request))
    if (opened !== null) return opened
    if (!sessions.expired(launch)) throw new ProblemError('launch-token-invalid')
    onLinkRequested('/')
    throw new ProblemError('launch-token-expired')
  })

  serve(app, terminalContract['GET /session/run'], async (request) => {
    const { window, nonce } = request.query
    const proved = sessions.prove(window, nonce, hostOf(request))
    if (proved === null) throw new ProblemError('session-required')
    return proved
  })

  serve(app, terminalContract['POST /session/link'], async (request) => {
    onLinkRequested(request.body.page)
  })

  serve(app, terminalContract['POST /session/launch-token'], async (request) => ({
    launchToken: sessions.mintLaunchToken(request.body.page),
  }))
  serve(app, terminalContract['POST /session/active'], async () => undefined)
}

export function signInRoutes(ctx: Ctx, app: App): void {
  const { publish } = ctx
  const staff = staffOf(ctx)
  const sessions = sessionsOf(ctx)
  const record = recordOf(ctx)
  const atOnce = plainTransactOf(ctx)
  const onSignIn = actingWindowOf(ctx).signedInAt
  const takeBadge = badgeReadsOf(ctx).take
  function enter(request: FastifyRequest, person: Staff, stream: string | undefined, byBadge = false): void {
    const window = windowOf(request)
    const others = atOnce(() => {
      // Another person took over this window, which was not signed out before.
      if (request.staff !== null && request.staff.id !== person.id)
        record({ kind: 'sign-out', actorId: request.staff.id })
      record({ kind: 'sign-in', actorId: person.id, ...(byBadge ? { detail: { badge: true } } : {}) })
      return sessions.signIn(window, person.id)
    })
    if (others) publish({ type: 'signed-out' })
    onSignIn(stream)
    publish({ type: 'signed-in', staff: person })
  }

  serve(app, staffContract['GET /staff'], async () => ({ staff: staff.list() }))

  serve(app, staffContract['POST /sign-in'], async (request) => {
    const person = await staff.checkPin(request.body.staffId, request.body.pin, request.body.newPin)
    enter(request, person, request.body.stream)
    return { staff: person }
  })

  serve(app, staffContract['POST /sign-in/badge'], async (request) => {
    // A badge that was found must not take over the sale of the person who is signed in.
    if (request.staff !== null) throw new ProblemError('badge-not-now')
    const number = takeBadge(request.body.readId)
    if (number === undefined) throw new ProblemError('badge-unknown')
    const person = staff.badges.signIn(number)
    enter(request, person, request.body.stream, true)
    return { staff: person }
  })

  serve(app, staffContract['POST /sign-out'], async (request) => {
    if (request.staff !== null) {
      const { id: actorId } = request.staff
      atOnce(() => {
        sessions.signOut(windowOf(request))
        record({ kind: 'sign-out', actorId })
      })
      publish({ type: 'signed-out' })
      publish({ type: 'signed-in', staff: null })
    }
  })

  serve(app, staffContract['GET /sessions'], async (request) => ({ sessions: sessions.list(windowOf(request)) }))

  serve(app, staffContract['POST /sessions/:id/end'], (request) => {
    const listed = sessions.list(windowOf(request)).find(({ id }) => id === request.params.id)
    if (!listed || !sessions.end(request.params.id)) throw new ProblemError('not-found')
    record({
      kind: 'window-ended',
      actorId: signedIn(request).id,
      subject: listed.staff?.id ?? '',
      detail: { window: listed.id },
    })
    if (listed.staff) publish({ type: 'signed-out' })
    return { sessions: sessions.list(windowOf(request)) }
  })

  serve(app, staffContract['PUT /staff/me/locale'], (request) => {
    const person = signedIn(request)
    staff.setLocale(person.id, request.body.locale)
    publish({ type: 'signed-in', staff: { ...person, locale: request.body.locale } })
  })
}

const hostOf = ({ headers }: FastifyRequest): string => (headers.host ?? '').toLowerCase()

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
