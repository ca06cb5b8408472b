import type { LaneSettings, Profile } from '../../contracts/core/profile.ts'
import { readClientSecret } from '../core/central/client-secret.ts'
import { EXIT, StartRefusedError } from '../core/program/data-folder.ts'
import type { BackendOptions } from '../core/program/options.ts'
import { readProfileLane } from '../core/profile/profile-lane.ts'

type Endpoints = NonNullable<Profile['endpoints']>
export type StartOptions = Pick<BackendOptions, 'data' | 'profile' | 'lane' | 'central'>

export interface ReadStart {
  readonly profile: Profile
  readonly lane: LaneSettings
  readonly endpoints: Endpoints
  readonly clientSecret: string | null
}

/**
 * Reads the start options before the data folder is locked. Changes nothing, because the lane check calls it too.
 * Throws StartRefusedError for invalid options.
 */
export function readStart(options: StartOptions, environment: NodeJS.ProcessEnv): ReadStart {
  const { profile, lane } = readProfileLane(options.profile, options.lane)
  const endpoints = endpointsOf(profile, options)
  if (profile.mode === 'production') refuseUnprovedServers(environment)
  const clientSecret = options.central?.clientSecret ?? readClientSecret(options.data, environment)
  return { profile, lane, endpoints, clientSecret }
}

/** Only training uses reference services: a start with them and a production profile is refused. */
function endpointsOf(profile: Profile, { central }: StartOptions): Endpoints {
  if (profile.mode === 'production') {
    if (central) throw new StartRefusedError([['practiceServices'], ['practiceServicesDo']], EXIT.badArguments)
    if (!profile.endpoints) throw new StartRefusedError([['noEndpoints']], EXIT.badArguments)
    return profile.endpoints
  }
  if (central)
    return {
      offers: central.url,
      issuance: central.url,
      cash: central.url,
      offerState: central.url,
      history: central.url,
      ...(central.memberSignInUrl !== undefined && central.issuer !== undefined
        ? {
            memberSignIn: {
              url: central.memberSignInUrl,
              issuer: central.issuer,
              scope: 'openid',
              revocationUrl: central.revocationUrl,
            },
          }
        : {}),
      token: { url: central.tokenUrl, clientId: central.clientId },
    }
  if (profile.endpoints) return profile.endpoints
  throw new StartRefusedError([['noServices'], ['noServicesDo']], EXIT.badArguments)
}

/** Without TLS verification, another server could receive the client secret and the miles. */
function refuseUnprovedServers({ NODE_TLS_REJECT_UNAUTHORIZED: proved }: NodeJS.ProcessEnv): void {
  if (proved === '0') throw new StartRefusedError([['unproved'], ['unprovedDo'], ['ownAuthority']], EXIT.badArguments)
}
