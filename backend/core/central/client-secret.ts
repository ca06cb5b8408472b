import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { forgetSealed, openSealed } from '../../../packages/delivery/enrolment/proof.ts'
import { writeWhole } from '../../../packages/delivery/whole-file.ts'
import { EXIT, StartRefusedError } from '../program/data-folder.ts'
import { readSealKey } from '../integrity/seal.ts'
import type { Clock } from '../clock.ts'

const fileOf = (dataFolder: string): string => join(dataFolder, 'client.secret')

/**
 * The secret for the token service: of an enrolment that the shell has not put into the key store yet; from the
 * environment (the shell takes it from the operating system's key store); else from a file that only its owner can
 * read. Null when there is none. Throws StartRefusedError when others can read the file.
 */
export function readClientSecret(dataFolder: string, environment: NodeJS.ProcessEnv): string | null {
  const laneKey = readSealKey(environment)
  const enrolled = laneKey && openSealed(dataFolder, laneKey, 'client-secret.enrolled')
  if (enrolled) return enrolled
  const given = environment['MILEPOST_CLIENT_SECRET']
  if (given) return given
  const file = fileOf(dataFolder)
  if (!existsSync(file)) return null
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new StartRefusedError([['secretOpen', { file }], ['run'], `chmod 600 '${file}'`], EXIT.badArguments)
  }
  return readFileSync(file, 'utf8').trim() || null
}

/** In the place of every other on this lane: in the key store’s care, or left for it by an enrolment. */
export function writeClientSecret(dataFolder: string, secret: string): void {
  writeWhole(fileOf(dataFolder), `${secret.trim()}\n`)
  forgetSealed(dataFolder, 'client-secret.enrolled')
  rmSync(join(dataFolder, 'client-secret.sealed'), { force: true })
}

/** Why a lane does not start whose people have PINs, and which has no secret. */
export const noSecret = (dataFolder: string): string =>
  'No client secret on this lane. Provision it: npx node backend/operations/provision.ts set-secret --data ' +
  `'${dataFolder}', or in a package: milepost --provision-secret. To enrol the lane by a code: docs/lane.md`

/** In the place of what asks for tokens, on a lane that is still to be enrolled. */
export const noSecretYet = (): Promise<never> => Promise.reject(new Error('this lane has no client secret yet'))

/** Whether the identity provider refuses this lane's client secret. In memory: the next start asks anew. */
export interface SecretStatus {
  /** Epoch ms; null while it is not refused, or was not asked. */
  readonly refusedSince: number | null
  /** What the identity provider said of the secret. Not called when nobody answered: that says nothing of it. */
  onResponse(refused: boolean): void
  onChange(listener: () => void): void
}

export function createSecretStatus({ clock }: { clock: Pick<Clock, 'now'> }): SecretStatus {
  let refusedSince: number | null = null
  const listeners: (() => void)[] = []
  return {
    get refusedSince() {
      return refusedSince
    },
    onResponse(refused) {
      if (refused === (refusedSince !== null)) return
      refusedSince = refused ? clock.now() : null
      for (const listener of listeners) listener()
    },
    onChange: (listener) => {
      listeners.push(listener)
    },
  }
}
