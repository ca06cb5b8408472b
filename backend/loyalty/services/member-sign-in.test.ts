import { expect, test } from 'vitest'
import { json, openRawServer } from '../../../packages/lab/testing/raw-server.ts'
import { createMemberSignIn, type MemberSignIn } from './member-sign-in.ts'

const GOOD = {
  device_code: 'device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://miles.example/device',
  verification_uri_complete: 'https://miles.example/device?user_code=WDJB-MJHT',
  expires_in: 600,
}

async function at(answer: object): Promise<MemberSignIn> {
  const { url } = await openRawServer(({ socket }) => {
    socket.end(json(200, answer))
  })
  return createMemberSignIn({
    url: `${url}/device`,
    issuer: url,
    tokenUrl: `${url}/token`,
    scope: 'openid',
    clientId: 'lane',
    clientSecret: 'secret',
    timeoutMs: 5_000,
    store: 'Store',
    lane: '01',
  })
}

test('a member sign-in gets the provider’s code and page, and by default polls every five seconds', async () => {
  expect(await (await at(GOOD)).begin(new AbortController().signal)).toEqual({
    deviceCode: 'device',
    userCode: 'WDJB-MJHT',
    page: GOOD.verification_uri,
    pageWithCode: GOOD.verification_uri_complete,
    expiresInMs: 600_000,
    intervalMs: 5_000,
  })
})

test.each([
  ['a code of 10,000 characters', { user_code: 'W'.repeat(10_000) }],
  ['a code of control characters', { user_code: '\u001b@WDJB' }],
  ['a page that is a script', { verification_uri: 'javascript:alert(1)' }],
  ['a page that is a phone link', { verification_uri: 'tel:+15550100' }],
  [
    'a page address of more than 50,000 characters',
    { verification_uri: `https://miles.example/${'x'.repeat(50_000)}` },
  ],
])("a provider's answer that cannot be displayed is rejected: %s", async (_what, change) => {
  await expect((await at({ ...GOOD, ...change })).begin(new AbortController().signal)).rejects.toThrow(
    'cannot be shown',
  )
})

test('a member sign-in has the page and the code to type even if the address with the code is invalid', async () => {
  const signIn = await at({ ...GOOD, verification_uri_complete: 'sms:+15550100?body=WDJB-MJHT' })
  expect(await signIn.begin(new AbortController().signal)).toMatchObject({
    page: GOOD.verification_uri,
    pageWithCode: null,
  })
})
