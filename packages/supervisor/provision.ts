import { existsSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { lockFolder } from './folder-lock.ts'
import {
  type OsKeyStore,
  keyIsInFile,
  keyStoreProblem,
  peekSecrets,
  readSecrets,
  storeClientSecret,
} from './key-store.ts'
import type { ProfileOutline } from './profile-outline.ts'
import type { Launch, ProcessRequest } from './service.ts'
import type { EnrolArguments, ProvisionTask } from './shell/shell-options.ts'
import { refuseOtherOwner } from './lane-profile.ts'
import { TerminalRefused } from './terminal-refused.ts'

export interface ProvisionOptions {
  readonly outline: ProfileOutline
  readonly profileFile: () => string
  readonly lane: string
  readonly dataFolder: string
  readonly keyStore: OsKeyStore
  readonly platform: NodeJS.Platform
  readonly provisionMain: string
  readonly supportMain: string
  readonly doctorMain: string
  readonly checkEndsMs?: number
  readonly profileArgs: readonly string[]
  readonly launch: Launch
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly environment: NodeJS.ProcessEnv
  readonly log: (line: string) => void
  readonly complain: (line: string) => void
}

/**
 * Runs an installer’s CLI command in an Electron package, which has no source tree and no Node: stores the client
 * secret in the key store, or runs the backend’s CLI commands to enrol the lane, set a PIN or the mail password,
 * restore a backup, save the support file, or check the lane. Returns the exit code, after errors were printed on the
 * command line and not in a window.
 */
export async function provision(task: ProvisionTask, options: ProvisionOptions): Promise<number> {
  const { outline, lane, complain } = options
  try {
    // Refuse a lane that the profile does not have: no terminal would ever find its data.
    if (!outline.lanes.includes(lane))
      throw new TerminalRefused(
        `The profile has no lane ${lane}; it has ${outline.lanes.join(', ')}. Nothing was changed.`,
        2,
      )
    switch (task.kind) {
      case 'secret':
        return await promptAndStoreSecret(options)
      case 'mail-password':
        return await setMailPassword(options)
      case 'pin':
        return await setPin(task.staffId, options)
      case 'restore':
        return await runProvision(
          () => ['restore', '--data', options.dataFolder, '--from', task.backup],
          async () => null,
          options,
        )
      case 'support':
        return await saveSupportFile(task.file, options)
      case 'enrol':
        return await enrol(task, options)
      case 'doctor':
        return await checkLane(options)
    }
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
    return error instanceof TerminalRefused ? error.exitCode : 1
  }
}

async function promptAndStoreSecret(options: ProvisionOptions): Promise<number> {
  refuseOtherOwner(options)
  await requireKeyStore(options)
  await storeClientSecret(options.keyStore, options.dataFolder, await readValue('Client secret:', options))
  options.log('The client secret is stored in the key store.')
  return 0
}

const setMailPassword = (options: ProvisionOptions): Promise<number> =>
  runProvision(
    () => ['set-mail-password', '--data', options.dataFolder],
    () => readValue('Password of the mail server:', options),
    options,
  )

const setPin = (staffId: string, options: ProvisionOptions): Promise<number> =>
  runProvision(
    () => ['set-pin', '--data', options.dataFolder, '--profile', options.profileFile(), `--staff=${staffId}`],
    () => readValue(`PIN of ${staffId} (four to eight digits):`, options),
    options,
  )

async function enrol({ code, service, certificate }: EnrolArguments, options: ProvisionOptions): Promise<number> {
  const { dataFolder, profileFile, lane, keyStore, outline } = options
  const exitCode = await runProvision(
    () => [
      'enrol',
      `--data=${dataFolder}`,
      `--profile=${profileFile()}`,
      `--lane=${lane}`,
      ...(service === null ? [] : [`--service=${service}`]),
      ...(certificate === null ? [] : [`--certificate=${certificate}`]),
    ],
    () => (code === null ? readValue('Enrolment code, or scan the QR code:', options) : Promise.resolve(code)),
    options,
  )
  if (exitCode === 0 && outline.mode === 'production') await readSecrets(keyStore, dataFolder)
  return exitCode
}

async function runProvision(
  args: () => readonly string[],
  value: () => Promise<string | null>,
  options: ProvisionOptions,
): Promise<number> {
  const { dataFolder, keyStore, outline } = options
  refuseOtherOwner(options)
  // A training lane needs no key store: it stores its keys in the data folder, as at its start.
  if (outline.mode === 'production') await requireKeyStore(options)
  const lock = await lockFolder(dataFolder)
  if ('heldBy' in lock)
    throw new TerminalRefused(
      `A Milepost terminal (process ${lock.heldBy}) is running on the data folder ${dataFolder}. Stop it ` +
        'first. Nothing was changed.',
      3,
    )
  try {
    const given = await value()
    return await runProgram(
      {
        script: options.provisionMain,
        args: args(),
        // Electron’s utility process has no standard input, so the environment passes the value; argv never does.
        env: {
          ...(outline.mode === 'production' ? await readSecrets(keyStore, dataFolder) : {}),
          ...(given === null ? {} : { MILEPOST_PROVISION_VALUE: given }),
        },
      },
      options,
    )
  } finally {
    await lock.release()
  }
}

async function runProgram(request: ProcessRequest, { launch, log, complain }: ProvisionOptions): Promise<number> {
  const child = launch(request)
  const [output, errorOutput, exit] = await Promise.all([text(child.stdout), text(child.stderr), child.exited])
  if (output.trim() !== '') log(output.trim())
  if (errorOutput.trim() !== '') complain(errorOutput.trim())
  if (exit.code === null) complain(`${path.basename(request.script)} was ended by ${exit.signal}.`)
  return exit.code ?? 1
}

/**
 * Saves the support file of a lane whose terminal may run, because the CLI command only reads. The key store’s secrets
 * are passed so that the file can be searched for them; if they cannot be read, a file is written only if the lane’s
 * key is in the data folder.
 */
async function saveSupportFile(file: string, options: ProvisionOptions): Promise<number> {
  const { dataFolder, keyStore, platform, outline, supportMain: script } = options
  const args = ['--data', dataFolder, '--out', file]
  const isInKeyStore = outline.mode === 'production' && existsSync(path.join(dataFolder, 'terminal.db'))
  const problem = isInKeyStore ? await keyStoreProblem(keyStore, platform) : null
  if (problem !== null && !keyIsInFile(dataFolder)) throw new TerminalRefused(problem, 2)
  const env = isInKeyStore && problem === null ? await readSecrets(keyStore, dataFolder) : {}
  return runProgram({ script, args, env }, options)
}

/**
 * Checks a lane whose terminal may be running or failing. Locks and writes nothing, and reports a key store that cannot
 * be opened as a finding.
 */
async function checkLane(options: ProvisionOptions): Promise<number> {
  const { dataFolder, lane, profileArgs, doctorMain: script, launch, log, complain, checkEndsMs = 20_000 } = options
  const args = ['--data', dataFolder, '--lane', lane, ...profileArgs]
  const child = launch({ script, args, env: await keyStoreSecrets(options) })
  // The check’s output is printed line by line, because the check takes several seconds.
  createInterface({ input: child.stdout }).on('line', log)
  const ended = Promise.all([text(child.stderr), child.exited])
  // Do not wait for the process: a read from a hanging disk may block it even after a signal.
  const outcome = await Promise.race([ended, delay(checkEndsMs, null, { ref: false })])
  if (outcome === null) {
    child.kill()
    complain(`The check was stopped because the disk does not answer. Check the disk under ${dataFolder}.`)
    return 2
  }
  const [errorOutput, exit] = outcome
  if (errorOutput.trim() !== '') complain(errorOutput.trim())
  return exit.code ?? 2
}

async function keyStoreSecrets(options: ProvisionOptions): Promise<Record<string, string>> {
  const { dataFolder, keyStore, platform, outline } = options
  if (outline.mode !== 'production') return {}
  if ((await keyStoreProblem(keyStore, platform)) !== null) return { MILEPOST_KEY_STORE_PROBLEM: 'unavailable' }
  return peekSecrets(keyStore, dataFolder).catch(() => ({ MILEPOST_KEY_STORE_PROBLEM: 'cannot-open' }))
}

async function requireKeyStore({ keyStore, platform }: ProvisionOptions): Promise<void> {
  const problem = await keyStoreProblem(keyStore, platform)
  if (problem !== null) throw new TerminalRefused(problem, 2)
}

/**
 * Reads the value of a CLI command from MILEPOST_PROVISION_VALUE, else from the first line of standard input. On
 * Windows only the variable works: Electron is no console program there, and its standard input is always at its end.
 */
async function readValue(question: string, { environment, input, complain }: ProvisionOptions): Promise<string> {
  const given = environment['MILEPOST_PROVISION_VALUE']
  if (given === undefined && input.isTTY === true) complain(question)
  const value = (given ?? (await firstLine(input))).trim()
  if (value === '')
    throw new TerminalRefused(
      'There was no value on standard input or in MILEPOST_PROVISION_VALUE. Nothing was changed.',
      2,
    )
  return value
}

async function firstLine(input: Readable): Promise<string> {
  const lines = createInterface({ input, terminal: false })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}
