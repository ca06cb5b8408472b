import type { FastifyRequest } from 'fastify'
import type { Staff, Terminal } from '../../contracts/staff/session.ts'
import type { App } from '../core/http/app.ts'
import { terminalContract, staffContract } from '../../contracts/staff/staff.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn, windowOf } from '../core/http/guards.ts'
import { ProblemError } from '../core/problem.ts'
import { staffOf } from './sign-in.ts'
import { sessionsOf } from '../core/http/sessions.ts'
import { recordOf, plainlyOf } from '../core/record.ts'
import { programOf } from '../core/program/lane-program.ts'
import { actingWindowOf } from '../core/http/acting-window.ts'
import { badgeReadsOf } from '../core/devices/reads.ts'
import { type Ctx, provided } from '../core/context.ts'

/** The terminal, its windows, and who is signed in at them. */
export function staffRoutes(ctx: Ctx, app: App): void {
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

  serve(app, terminalContract['GET /terminal'], async (request) => ({ ...terminal(), signedIn: request.staff }))

  serve(app, terminalContract['POST /session'], async (request) => {
    const { launch, nonce } = request.body
    const opened = sessions.open(launch, nonce, hostOf(request))
    if (opened !== null) return opened
    if (!sessions.expired(launch)) throw new ProblemError('launch-token-invalid')
    onLinkWanted('/')
    throw new ProblemError('launch-token-expired')
  })

  serve(app, terminalContract['GET /session/run'], async (request) => {
    const { window, nonce } = request.query
    const proved = sessions.prove(window, nonce, hostOf(request))
    if (proved === null) throw new ProblemError('session-required')
    return proved
  })

  serve(app, terminalContract['POST /session/link'], async (request) => {
    onLinkWanted(request.body.page)
  })

  serve(app, terminalContract['POST /session/launch-token'], async (request) => ({
    launchToken: sessions.mintLaunchToken(request.body.page),
  }))

  serve(app, staffContract['GET /staff'], async () => ({ staff: staff.list() }))

  serve(app, staffContract['POST /sign-in'], async (request) => {
    const person = await staff.checkPin(request.body.staffId, request.body.pin, request.body.newPin)
    enter(request, person, request.body.stream)
    return { staff: person }
  })

  serve(app, staffContract['POST /sign-in/badge'], async (request) => {
    // Somebody is there already: a badge that lies about takes no sale over.
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

  serve(app, terminalContract['POST /session/active'], async () => undefined)

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

/** The guard has compared it with the terminal's own. */
const hostOf = ({ headers }: FastifyRequest): string => (headers.host ?? '').toLowerCase()

/** What the windows are told of the terminal itself. */
export const terminalFactsOf = provided<() => Omit<Terminal, 'signedIn'>>('the terminal')
