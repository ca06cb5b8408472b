import type { Bench, Role } from './bench.ts'
import { type Caller, type Received, Skip, need, assertThat } from './expect.ts'

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

export class Tokens {
  private readonly bench: Bench
  private readonly caller: Caller
  private readonly absolute: (path: string) => string
  private readonly tokens = new Map<string, Promise<string>>()
  private readonly tokenUrl: string
  private readonly memberTokenUrl: string

  constructor(bench: Bench, caller: Caller, absolute: (path: string) => string) {
    this.bench = bench
    this.caller = caller
    this.absolute = absolute
    this.tokenUrl = absolute(bench.tokenUrl ?? '/oidc/token')
    this.memberTokenUrl = bench.device.tokenUrl === null ? this.tokenUrl : absolute(bench.device.tokenUrl)
  }

  private partner(): { id: string; secret: string } {
    return {
      id: need(this.bench.clientId, 'the bench has no clientId'),
      secret: need(this.bench.clientSecret, 'the bench has no clientSecret'),
    }
  }

  private formOf(url: string, form: Record<string, string>, client = this.partner()): Promise<Received> {
    return this.caller.ask(url, {
      method: 'POST',
      body: new URLSearchParams(form).toString(),
      headers: {
        'content-type': FORM_TYPE,
        authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
      },
    })
  }

  private cached(name: string, get: () => Promise<string>): Promise<string> {
    const token = this.tokens.get(name) ?? get()
    this.tokens.set(name, token)
    token.catch(() => this.tokens.delete(name))
    return token
  }

  async own(): Promise<string> {
    if (this.bench.token.given !== null) throw new Skip('the bench has one token and no way to request another')
    const { client, body, fields, answer } = this.bench.token
    const { id, secret } = this.partner()
    const grant = { ...fields, ...(client === 'fields' ? { client_id: id, client_secret: secret } : {}) }
    const received = await this.caller.ask(this.tokenUrl, {
      method: 'POST',
      body: body === 'json' ? JSON.stringify(grant) : new URLSearchParams(grant).toString(),
      headers: {
        'content-type': body === 'json' ? JSON_TYPE : FORM_TYPE,
        ...(client === 'basic' ? { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } : {}),
      },
    })
    const token = received.body[answer]
    assertThat(typeof token === 'string', 'the token endpoint returns no token for client credentials', received)
    return token
  }

  shared(): Promise<string> {
    return this.bench.token.given === null
      ? this.cached('partner', () => this.own())
      : Promise.resolve(this.bench.token.given)
  }

  async revoke(token: string): Promise<void> {
    const received = await this.formOf(
      this.absolute(need(this.bench.revocationPath, 'the bench has no path to revoke a token')),
      {
        token,
      },
    )
    assertThat(received.status === 200, 'the revocation endpoint accepts the token (RFC 7009 §2.2)', received)
  }

  /** Returns an access token of the collector; throws Skip when no token is available. */
  member(role: Role): Promise<string> {
    return this.cached(`member ${role}`, async () => {
      const given = this.bench.memberTokens[role]
      if (given !== undefined) return given
      const { device } = this.bench
      const client = this.partner()
      const id = device.clientId ?? client.id
      const page = need(device.approvePath, `the bench has no member token for "${role}" and no page to sign one in`)
      const asked = await this.caller.ask(this.absolute(device.authorizationPath), {
        method: 'POST',
        body: new URLSearchParams({ client_id: id, scope: device.scope }).toString(),
        headers: {
          'content-type': FORM_TYPE,
          ...(device.clientId === null
            ? { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` }
            : {}),
        },
      })
      assertThat(
        typeof asked.body.device_code === 'string' && typeof asked.body.user_code === 'string',
        'the device authorization endpoint returns no codes (RFC 8628 §3.2)',
        asked,
      )
      const { approveFields: names, approveMore } = device
      const approved = await this.caller.ask(this.absolute(page), {
        method: 'POST',
        headers: { 'content-type': FORM_TYPE },
        body: new URLSearchParams({
          ...approveMore,
          [names.userCode]: asked.body.user_code,
          [names.collectorNumber]: need(this.bench.collectors[role], `the bench has no collector "${role}"`),
        }).toString(),
      })
      assertThat(approved.status < 300, 'the user code could not be approved', approved)
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: asked.body.device_code,
        client_id: id,
      }
      const received =
        device.clientId === null
          ? await this.formOf(this.memberTokenUrl, form)
          : await this.caller.ask(this.memberTokenUrl, {
              method: 'POST',
              body: new URLSearchParams(form).toString(),
              headers: { 'content-type': FORM_TYPE },
            })
      assertThat(
        typeof received.body.access_token === 'string',
        'the token endpoint returns no token for the approved device',
        received,
      )
      return received.body.access_token
    })
  }
}
