import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  AskLink,
  AskRun,
  LaneRun,
  LaunchToken,
  OpenedSession,
  OpenSession,
  SessionList,
  SignIn,
  SignInByBadge,
  Staff,
  StaffList,
  Terminal,
} from '../../contracts/staff/session.ts'
import { Locale } from '../../contracts/core/locales.ts'
import type { Routes } from '../core/http/app.ts'
import { signedIn, windowOf } from '../core/http/guards.ts'
import { ProblemError } from '../core/problem.ts'
import { staffOf } from './sign-in.ts'
import { sessionsOf } from '../core/http/sessions.ts'
import { recordOf, plainlyOf } from '../core/record.ts'
import { programOf } from '../core/program/lane-program.ts'
import { actingWindowOf } from '../core/http/acting-window.ts'
import { badgeReadsOf } from '../core/devices/reads.ts'
import { type Ctx, provided } from '../core/context.ts'

const SignedIn = z.object({ staff: Staff })
const ChangeLocale = z.object({ locale: Locale })
const Nothing = z.undefined()

/** The terminal, its windows, and who is signed in at them. */
export const staffRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const { publish } = ctx
    const staff = staffOf(ctx)
    const sessions = sessionsOf(ctx)
    const record = recordOf(ctx)
    const atOnce = plainlyOf(ctx)
    const onLinkWanted = programOf(ctx).onLinkWanted
    const onSignIn = actingWindowOf(ctx).signedInAt
    const takeBadge = badgeReadsOf(ctx).take
    const terminal = terminalFactsOf(ctx)
    /** The person is signed in at this window, and at no other. */
    function enter(request: FastifyRequest, person: Staff, stream: string | undefined, byBadge = false): void {
      const window = windowOf(request)
      const others = atOnce(() => {
        // Another person took over at this window without a step between.
        if (request.staff !== null && request.staff.id !== person.id)
          record({ kind: 'sign-out', actorId: request.staff.id })
        record({ kind: 'sign-in', actorId: person.id, ...(byBadge ? { detail: { badge: true } } : {}) })
        return sessions.signIn(window, person.id)
      })
      if (others) publish({ type: 'signed-out' })
      onSignIn(stream)
      publish({ type: 'signed-in', staff: person })
    }

    app.get(
      '/api/terminal',
      {
        schema: {
          tags: ['terminal'],
          description: 'What a screen needs before anybody has signed in.',
          response: { 200: Terminal },
        },
        config: { access: 'public' },
      },
      async (request) => ({ ...terminal(), signedIn: request.staff }),
    )

    app.post(
      '/api/session',
      {
        schema: {
          tags: ['terminal'],
          description:
            'Spends a launch token: the window is given its key, with the lane’s proof that it knows the token.',
          body: OpenSession,
          response: { 200: OpenedSession },
        },
        config: { access: 'public', command: 'awaited' },
      },
      async (request) => {
        const { launch, nonce } = request.body
        const opened = sessions.open(launch, nonce, hostOf(request))
        if (opened !== null) return opened
        if (!sessions.expired(launch)) throw new ProblemError('launch-token-invalid')
        onLinkWanted('/')
        throw new ProblemError('launch-token-expired')
      },
    )

    app.get(
      '/api/session/run',
      {
        schema: {
          tags: ['terminal'],
          description:
            'The lane proves that it knows the key of this window, at the host that the window asked. The window ' +
            'shows itself with a proof of its own for this run of the program.',
          querystring: AskRun,
          response: { 200: LaneRun },
        },
        config: { access: 'public' },
      },
      async (request) => {
        const { window, nonce } = request.query
        const proved = sessions.prove(window, nonce, hostOf(request))
        if (proved === null) throw new ProblemError('session-required')
        return proved
      },
    )

    app.post(
      '/api/session/link',
      {
        schema: {
          tags: ['terminal'],
          description:
            'A page that was loaded again has lost its key: whoever started the terminal is given a new link, at ' +
            'most every few seconds.',
          body: AskLink,
          response: { 204: Nothing },
        },
        config: { access: 'public', command: 'reading' },
      },
      async (request, reply) => {
        onLinkWanted(request.body.page)
        void reply.code(204)
      },
    )

    app.post(
      '/api/session/launch-token',
      {
        schema: {
          tags: ['terminal'],
          description:
            'A window that is about to load its page again, and would lose its key, is given a launch token.',
          body: AskLink,
          response: { 200: LaunchToken },
        },
        config: { access: 'window', command: 'reading' },
      },
      async (request) => ({ launchToken: sessions.mintLaunchToken(request.body.page) }),
    )

    app.get(
      '/api/staff',
      {
        schema: { tags: ['staff'], description: 'Who may sign in here.', response: { 200: StaffList } },
        config: { access: 'window' },
      },
      async () => ({ staff: staff.list() }),
    )

    app.post(
      '/api/sign-in',
      {
        schema: {
          tags: ['staff'],
          description:
            'Signs a person in at this window, and out at any other. Who has no PIN yet is told so ' +
            '(`pin-not-set`). When the PIN is locked, the detail `lockedUntil` says until when.',
          body: SignIn,
          response: { 200: SignedIn },
        },
        config: { access: 'window', command: 'awaited' },
      },
      async (request) => {
        const person = await staff.checkPin(request.body.staffId, request.body.pin, request.body.newPin)
        enter(request, person, request.body.stream)
        return { staff: person }
      },
    )

    app.post(
      '/api/sign-in/badge',
      {
        schema: {
          tags: ['staff'],
          description: 'Signs in whose badge was read at this lane, where the store lets badges do that.',
          body: SignInByBadge,
          response: { 200: SignedIn },
        },
        config: { access: 'window', command: 'awaited' },
      },
      async (request) => {
        // Somebody is there already: a badge that lies about takes no sale over.
        if (request.staff !== null) throw new ProblemError('badge-not-now')
        const number = takeBadge(request.body.readId)
        if (number === undefined) throw new ProblemError('badge-unknown')
        const person = staff.badges.signIn(number)
        enter(request, person, request.body.stream, true)
        return { staff: person }
      },
    )

    app.post(
      '/api/sign-out',
      {
        schema: { tags: ['staff'], response: { 204: Nothing } },
        // A terminal that takes no money can be left all the same.
        config: { access: 'window', command: 'awaited' },
      },
      async (request, reply) => {
        if (request.staff !== null) {
          const { id: actorId } = request.staff
          atOnce(() => {
            sessions.signOut(windowOf(request))
            record({ kind: 'sign-out', actorId })
          })
          publish({ type: 'signed-out' })
          publish({ type: 'signed-in', staff: null })
        }
        void reply.code(204)
      },
    )

    app.post(
      '/api/session/active',
      {
        schema: {
          tags: ['terminal'],
          description: 'Somebody is there: a key or a touch that asks for nothing. Every command says so too.',
          response: { 204: Nothing },
        },
        config: { access: 'staff', command: 'reading' },
      },
      async (_request, reply) => reply.code(204).send(),
    )

    app.get(
      '/api/sessions',
      {
        schema: {
          tags: ['staff'],
          description: 'The windows that may talk to this terminal, newest first.',
          response: { 200: SessionList },
        },
        config: { access: 'manager' },
      },
      async (request) => ({ sessions: sessions.list(windowOf(request)) }),
    )

    app.post(
      '/api/sessions/:id/end',
      {
        schema: {
          tags: ['staff'],
          description:
            'Ends a window: whoever is signed in at it is signed out, and it needs a new link; stands in the ' +
            'audit trail.',
          params: z.object({ id: z.string().regex(/^\S{1,40}$/) }),
          response: { 200: SessionList },
        },
        config: { access: 'manager' },
      },
      (request) => {
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
      },
    )

    app.put(
      '/api/staff/me/locale',
      {
        schema: {
          tags: ['staff'],
          description: 'The language of the signed-in person, kept for the next time.',
          body: ChangeLocale,
          response: { 204: Nothing },
        },
        config: { access: 'staff' },
      },
      (request, reply) => {
        const person = signedIn(request)
        staff.setLocale(person.id, request.body.locale)
        publish({ type: 'signed-in', staff: { ...person, locale: request.body.locale } })
        void reply.code(204)
      },
    )
  }

/** The guard has compared it with the terminal's own. */
const hostOf = ({ headers }: FastifyRequest): string => (headers.host ?? '').toLowerCase()

/** What the windows are told of the terminal itself. */
export const terminalFactsOf = provided<() => Omit<Terminal, 'signedIn'>>('the terminal')
