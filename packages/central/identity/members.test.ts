import { afterEach, beforeEach, expect, it } from 'vitest'
import { FINE, openRehearsal, PIN, type Received, type Rehearsal } from '../rehearsal.fixture.ts'
import { DEVICE_AUTHORIZATION_PATH, MEMBER_PAGE_PATH } from './artifacts.ts'

let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal({ memberTokenTtl: 120 })
})
afterEach(() => client.close())

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const form = async (path: string, fields: Record<string, string>): Promise<Received> => {
  const { url, clientId, clientSecret } = client.central
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    },
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  }
}
const ask = () => form(DEVICE_AUTHORIZATION_PATH, { client_id: client.central.clientId, scope: 'openid' })
const poll = (asked: Received) =>
  form('/oidc/token', { grant_type: DEVICE_GRANT, device_code: String(asked.body.device_code) })
const decide = (asked: Received, fields: Record<string, string>) =>
  form(MEMBER_PAGE_PATH, {
    user_code: String(asked.body.user_code),
    collector_number: FINE,
    pin: PIN,
    decision: 'approve',
    ...fields,
  })
const asMember = (token: string) => ({ authorization: `Bearer ${token}`, 'x-origin-client': 'internal:pos:milepost' })

it('a member signs in with a code from a lane; a second token request with the code revokes the token', async () => {
  const asked = await ask()
  expect(asked.body).toMatchObject({
    user_code: expect.any(String) as string,
    verification_uri: `${client.central.url}${MEMBER_PAGE_PATH}`,
    expires_in: expect.any(Number) as number,
    interval: 5,
  })
  expect((await poll(asked)).body.error).toBe('authorization_pending')
  expect((await fetch(String(asked.body.verification_uri_complete))).status).toBe(200)
  expect((await decide(asked, {})).status).toBe(200)
  const given = await poll(asked)
  expect(given.body).toMatchObject({ token_type: 'Bearer', expires_in: 120 })
  const list = async () =>
    (await client.get('/offers?region=ON&mass_offer=false', asMember(String(given.body.access_token)))).status
  expect(await list()).toBe(200)
  // A device code presented twice may be stolen, so its token is revoked too, as RFC 6749 §4.1.2 recommends for
  // authorization codes.
  expect((await poll(asked)).body.error).toBe('invalid_grant')
  expect(await list()).toBe(401)
})
it.each([
  ['closed', '80000000088', 403],
  ['unknown', '80000000099', 403],
])('member sign-in refuses a %s account, and the code stays usable', async (_case, collectorNumber, status) => {
  const asked = await ask()
  expect((await decide(asked, { collector_number: collectorNumber })).status).toBe(status)
  expect((await poll(asked)).body.error).toBe('authorization_pending')
})
it('member sign-in requires the PIN and refuses its code after five wrong PINs', async () => {
  const asked = await ask()
  for (const pin of ['', '1357', '24680', '2469']) expect((await decide(asked, { pin })).status).toBe(403)
  expect((await poll(asked)).body.error).toBe('authorization_pending')
  const last = await decide(asked, { pin: '0000' })
  expect([last.status, last.text.includes('new code')]).toEqual([403, true])
  expect((await decide(asked, {})).status).toBe(409)
  expect((await poll(asked)).body.error).toBe('access_denied')
})
it("a member's refusal of the sign-in is reported to the lane, and the code accepts no second decision", async () => {
  const asked = await ask()
  expect((await decide(asked, { decision: 'deny' })).status).toBe(200)
  expect((await decide(asked, {})).status).toBe(409)
  expect((await poll(asked)).body.error).toBe('access_denied')
  expect((await decide(asked, { user_code: 'NONE-SUCH' })).status).toBe(404)
})
it('the member page shows the store and the lane that requested the code', async () => {
  const asked = await form(DEVICE_AUTHORIZATION_PATH, {
    client_id: client.central.clientId,
    scope: 'openid',
    store_name: 'Front & Main',
    lane_id: '07',
  })
  const shown = await client.get(`${MEMBER_PAGE_PATH}?user_code=${String(asked.body.user_code)}`)
  expect(shown.text).toContain('Front &#38; Main, lane / caisse 07')
  expect((await client.get(MEMBER_PAGE_PATH)).text).not.toContain('Front')
})
it('the member page shows input as text, never as markup', async () => {
  expect((await client.get(`${MEMBER_PAGE_PATH}?user_code=${encodeURIComponent('"><script>')}`)).text).not.toContain(
    '<script>',
  )
})
it('checkout calls refuse member tokens; the offer service refuses them with a Collector-Number header', async () => {
  const token = await client.memberToken()
  expect((await client.echo({}, { token })).status).toBe(401)
  expect((await client.get('/offers?region=ON', { ...asMember(token), 'collector-number': FINE })).status).toBe(400)
  expect(
    (await client.get('/offers?region=ON', { 'x-origin-client': 'internal:pos:milepost', 'collector-number': FINE }))
      .status,
  ).toBe(400)
})
it('the revocation endpoint revokes one token; the control port suspends, resumes and revokes all tokens', async () => {
  const token = await client.memberToken()
  const works = async (bearer: string) => (await client.get('/offers?region=ON', asMember(bearer))).status
  expect(await works(token)).toBe(200)
  await form('/oidc/token/revocation', { token })
  expect(await works(token)).toBe(401)
  const second = await client.memberToken()
  await client.control('PUT', '/tokens', { accepted: false })
  expect(await works(second)).toBe(401)
  await client.control('PUT', '/tokens', { accepted: true })
  expect(await works(second)).toBe(200)
  await client.control('POST', '/tokens/revoke')
  expect(await works(second)).toBe(401)
})
