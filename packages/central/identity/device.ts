import type { FastifyInstance, FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import type { DeviceCode, Provider } from 'oidc-provider'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { type DeclaredAnswer, answerOf } from '../http/declare.ts'
import { MEMBER_PAGE_PATH } from './artifacts.ts'

export const FORM = 'application/x-www-form-urlencoded'

/** Maximum wrong PINs and collector numbers per user code: too few attempts to guess a PIN of four digits. */
const MAX_TRIES = 5

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

function placeOf(code: DeviceCode | undefined): string | null {
  const { store_name: store, lane_id: lane } = code?.params ?? {}
  return typeof store === 'string' && typeof lane === 'string' ? `${store}, lane / caisse ${lane}` : null
}

const STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:26rem;color:#17202a}
h1{font-size:1.3rem}label{display:block}input{font:inherit;width:100%;box-sizing:border-box;padding:.6rem}
button{font:inherit;padding:.7rem 1.2rem;margin:0 .5rem .5rem 0}.place{font-weight:600}`
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

function page(
  reply: FastifyReply,
  status: number,
  message: string,
  userCode: string | null,
  place: string | null = null,
): FastifyReply {
  const form =
    userCode === null
      ? ''
      : `<form method="post" action="${MEMBER_PAGE_PATH}">
<p><label>Code <input name="user_code" value="${escapeHtml(userCode)}" required autocomplete="off"></label></p>
<p><label>Collector number / Numéro d’adhérent
<input name="collector_number" inputmode="numeric" required autocomplete="off"></label></p>
<p><label>PIN / NIP <input name="pin" type="password" inputmode="numeric" required autocomplete="off"></label></p>
<p><button name="decision" value="approve">Sign in / Se connecter</button>
<button name="decision" value="deny" formnovalidate>Refuse / Refuser</button></p></form>`
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src ${STYLE_HASH}; form-action 'self'; frame-ancestors 'none'`,
    )
    .send(
      '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
        `<title>Member sign-in / Connexion</title><style>${STYLE}</style><h1>Member sign-in / Connexion</h1>` +
        (place === null ? '' : `<p class="place">${escapeHtml(place)}</p>`) +
        `<p role="status">${escapeHtml(message)}</p>${form}</html>`,
    )
}

const html = (description: string, message: string): DeclaredAnswer =>
  answerOf(
    description,
    z.string(),
    `<!doctype html><html lang="en"><h1>Member sign-in / Connexion</h1><p>${message}</p></html>`,
    'text/html',
  )
const text = z.string().optional()
const READ_PAGE = {
  summary: "The member's page",
  tags: ['identity'],
  querystring: z.object({ user_code: text.describe('Filled in') }),
  response: { 200: html('A page', 'Enter the code that the screen shows.') },
}
const SEND_PAGE = {
  summary: "The member's decision",
  tags: ['identity'],
  consumes: [FORM],
  body: z.object({
    user_code: z.string(),
    collector_number: text,
    pin: text,
    decision: z.enum(['approve', 'deny']).optional(),
  }),
  response: {
    200: html('Signed in, or refused', 'You are signed in. You can close this page.'),
    403: html(
      'No active collector, or a wrong PIN; the fifth wrong try invalidates the code',
      'This number and PIN cannot sign in.',
    ),
    404: html('No such code', 'There is no such code.'),
    409: html('Used', 'The code was used.'),
    410: html('Expired', 'The code has expired.'),
  },
}

const lettersOf = (userCode: string): string => userCode.toUpperCase().replace(/[^A-Z0-9]/g, '')

/**
 * The member page of the device authorization grant (RFC 8628 §3.3), where a member enters the user code shown by a
 * lane. After too many wrong collector numbers or PINs the user code is refused.
 */
export function deviceSignIn(app: FastifyInstance, ctx: Context, provider: () => Provider): void {
  const wrongTries = new Map<string, number>()
  const codeOf = (userCode: string): Promise<DeviceCode | undefined> =>
    provider().DeviceCode.findByUserCode(lettersOf(userCode), { ignoreExpiration: true })
  app.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: 4_096 }, (_request, body, done) => {
    done(null, new URLSearchParams(String(body)))
  })

  app.get<{ Querystring: { user_code?: string } }>(MEMBER_PAGE_PATH, { schema: READ_PAGE }, async (request, reply) => {
    const { user_code: given } = request.query
    const userCode = typeof given === 'string' ? given : ''
    const code = userCode === '' ? undefined : await codeOf(userCode)
    return page(
      reply,
      200,
      code === undefined
        ? 'Enter the code that the screen shows. / Saisissez le code affiché.'
        : 'Sign in only if you are at this lane. / Connectez-vous seulement si vous êtes à cette caisse.',
      userCode,
      placeOf(code),
    )
  })

  app.post(MEMBER_PAGE_PATH, { schema: SEND_PAGE }, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const userCode = form.get('user_code') ?? ''
    const code = await codeOf(userCode)
    if (!code) return page(reply, 404, 'There is no such code. / Ce code n’existe pas.', userCode)
    if (code.isExpired) return page(reply, 410, 'The code has expired. / Le code est expiré.', null)
    if (code.accountId !== undefined || code.error !== undefined)
      return page(reply, 409, 'The code was used. / Le code a déjà servi.', null)
    if (form.get('decision') === 'deny') {
      await refuse(code, 'The member refused')
      return page(reply, 200, 'Refused. / Refusé.', null)
    }
    const collectorNumber = (form.get('collector_number') ?? '').replaceAll(' ', '')
    const collector = ctx.program.findCollector(collectorNumber)
    if (collector?.state === 'active' && collector.pin === (form.get('pin') ?? '')) {
      await signIn(provider(), code, collectorNumber)
      return page(reply, 200, 'You are signed in. You can close this page. / Vous êtes connecté.', null)
    }
    const typed = lettersOf(userCode)
    const tries = (wrongTries.get(typed) ?? 0) + 1
    if (wrongTries.size >= 1_000) wrongTries.clear()
    wrongTries.set(typed, tries)
    if (tries < MAX_TRIES)
      return page(
        reply,
        403,
        'This number and PIN cannot sign in. / Ce numéro et ce NIP ne peuvent pas se connecter.',
        userCode,
        placeOf(code),
      )
    wrongTries.delete(typed)
    await refuse(code, 'Too many wrong PINs')
    return page(reply, 403, 'Too many tries: ask for a new code. / Trop d’essais : demandez un nouveau code.', null)
  })
}

async function signIn(provider: Provider, code: DeviceCode, accountId: string): Promise<void> {
  const grant = new provider.Grant({ accountId, clientId: code.clientId })
  grant.addOIDCScope('openid')
  Object.assign(code, {
    accountId,
    grantId: await grant.save(),
    authTime: Math.floor(Date.now() / 1000),
    scope: 'openid',
  })
  await code.save()
}

/** Refuses a sign-in: the lane that polls with this code gets `access_denied` (RFC 8628 §3.5). */
async function refuse(code: DeviceCode, errorDescription: string): Promise<void> {
  Object.assign(code, { error: 'access_denied', errorDescription })
  await code.save()
}
