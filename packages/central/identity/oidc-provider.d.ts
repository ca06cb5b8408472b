/** The npm package oidc-provider has no types. Only the API used here is declared. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Adapter {
    upsert(id: string, payload: Record<string, unknown>, expiresIn?: number): Promise<void>
    find(id: string): Promise<Record<string, unknown> | undefined>
    findByUserCode(userCode: string): Promise<Record<string, unknown> | undefined>
    findByUid(uid: string): Promise<Record<string, unknown> | undefined>
    consume(id: string): Promise<void>
    destroy(id: string): Promise<void>
    revokeByGrantId(grantId: string): Promise<void>
  }

  /** A pending device sign-in (RFC 8628); the member's decision is written into it. */
  export interface DeviceCode {
    readonly clientId: string
    readonly isExpired: boolean
    readonly params: Readonly<Record<string, unknown>>
    accountId?: string
    grantId?: string
    authTime?: number
    scope?: string
    error?: string
    errorDescription?: string
    save(): Promise<string>
  }

  export interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export interface Exchange {
    readonly path: string
    readonly status: number
    readonly body: object | null | undefined
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    proxy: boolean
    readonly DeviceCode: {
      findByUserCode(userCode: string, options: { readonly ignoreExpiration: boolean }): Promise<DeviceCode | undefined>
    }
    readonly Grant: new (properties: { readonly accountId: string; readonly clientId: string }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    use(around: (context: Exchange, next: () => Promise<void>) => Promise<void>): this
    on(event: string, listener: (...args: readonly unknown[]) => void): this
  }
  export default Provider
}
