import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { forgetSealed, openSealed } from '../../../packages/delivery/enrolment/proof.ts'
import { writeWhole } from '../../../packages/delivery/whole-file.ts'
import { EXIT, StartRefusedError } from '../program/data-folder.ts'
import { readSealKey } from '../integrity/seal.ts'
import type { Clock } from '../clock.ts'

const fileOf = (dataFolder: string): string => join(dataFolder, 'client.secret')

/**
 * Reads the secret for the token service: from an enrolment that the shell has not yet moved into the key store; from
 * the environment (the shell reads it from the operating system's key store); or from a file that only its owner can
 * read. Returns null when there is no secret. Throws StartRefusedError when others can read the file.
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

/**
 * Stores a client secret in a file, and removes every other one of this lane: from the key store and from an enrolment.
 */
export function writeClientSecret(dataFolder: string, secret: string): void {
  writeWhole(fileOf(dataFolder), `${secret.trim()}\n`)
  forgetSealed(dataFolder, 'client-secret.enrolled')
  rmSync(join(dataFolder, 'client-secret.sealed'), { force: true })
}

export const noSecret = (dataFolder: string): string =>
  'No client secret on this lane. Provision it: npx node backend/operations/provision.ts set-secret --data ' +
  `'${dataFolder}', or in a package: milepost --provision-secret. To enrol the lane by a code: docs/lane.md`

/** Replaces the request for a token on a lane that is not enrolled yet: always fails. */
export const noSecretYet = (): Promise<never> => Promise.reject(new Error('this lane has no client secret yet'))

export interface SecretStatus {
  readonly refusedSince: number | null
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
