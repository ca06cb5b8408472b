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
import type { EnrolArguments, ProvisionOrder } from './shell/shell-options.ts'
import { refuseOtherOwner } from './lane-profile.ts'
import { TerminalRefused } from './refused.ts'

export interface ProvisionOptions {
  readonly outline: ProfileOutline
  /** Asked with the data folder locked: what the lane sells by. */
  readonly profileFile: () => string
  readonly lane: string
  readonly dataFolder: string
  readonly keyStore: OsKeyStore
  readonly platform: NodeJS.Platform
  /** Main file of the backend's provisioning: sources in a checkout, built code in a package. */
  readonly provisionMain: string
  /** Main file of the backend's support file, beside it. */
  readonly supportMain: string
  /** Main file of the backend's check of the lane, beside it. */
  readonly doctorMain: string
  /** The check of the lane is ended after so many ms; some seconds more than it takes where this is left out. */
  readonly checkEndsMs?: number
  /** Where a program that only looks finds the lane's profile: `--profile`, or `--bundle` and `--trust`. */
  readonly profileArgs: readonly string[]
  readonly launch: Launch
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly environment: NodeJS.ProcessEnv
  /** A line for standard output. */
  readonly log: (line: string) => void
  /** A line for standard error: a question, or why nothing was changed. */
  readonly complain: (line: string) => void
}

/**
 * The installer's door of a package, where there is neither a checkout nor a Node of its own: puts the client secret
 * into the key store's care, or has the backend's own programs enrol the lane, set a PIN, restore a backup, save the
 * support file, or check the lane. Answers the exit code to end with; every refusal has been told by then, on the
 * command line that asked, and in no window.
 */
export async function provision(order: ProvisionOrder, options: ProvisionOptions): Promise<number> {
  const { outline, lane, complain } = options
  try {
    // What is put where no terminal will look for it is as good as lost.
    if (!outline.lanes.includes(lane))
      throw new TerminalRefused(
        `The profile has no lane ${lane}; it has ${outline.lanes.join(', ')}. Nothing was changed.`,
        2,
      )
    switch (order.kind) {
      case 'secret':
        return await keepSecret(options)
      case 'pin':
        return await setPin(order.staffId, options)
      case 'restore':
        return await runProvision(
          () => ['restore', '--data', options.dataFolder, '--from', order.backup],
          async () => null,
          options,
        )
      case 'support':
        return await saveSupportFile(order.file, options)
      case 'enrol':
        return await enrol(order, options)
      case 'doctor':
        return await checkLane(options)
    }
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
    return error instanceof TerminalRefused ? error.exitCode : 1
  }
}

async function keepSecret(options: ProvisionOptions): Promise<number> {
  refuseOtherOwner(options)
  await requireKeyStore(options)
  await storeClientSecret(options.keyStore, options.dataFolder, await readValue('Client secret:', options))
  options.log('The client secret is in the key store’s care.')
  return 0
}

const setPin = (staffId: string, options: ProvisionOptions): Promise<number> =>
  runProvision(
    () => ['set-pin', '--data', options.dataFolder, '--profile', options.profileFile(), `--staff=${staffId}`],
    () => readValue(`PIN of ${staffId} (four to eight digits):`, options),
    options,
  )

/** What the backend leaves under the lane's key goes into the key store's care as soon as it has ended. */
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

/**
 * Runs the backend's own provisioning on a folder that no terminal uses, with the keys of the key store, and tells what
 * it told.
 */
async function runProvision(
  args: () => readonly string[],
  value: () => Promise<string | null>,
  options: ProvisionOptions,
): Promise<number> {
  const { dataFolder, keyStore, outline } = options
  refuseOtherOwner(options)
  // Training keeps its keys in the data folder, here as at its start.
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
        // The utility process has no standard input: the environment carries the value, argv never does.
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

/** Runs a program of the backend to its end and tells what it told. */
async function runProgram(request: ProcessRequest, { launch, log, complain }: ProvisionOptions): Promise<number> {
  const child = launch(request)
  const [said, complained, exit] = await Promise.all([text(child.stdout), text(child.stderr), child.exited])
  if (said.trim() !== '') log(said.trim())
  if (complained.trim() !== '') complain(complained.trim())
  if (exit.code === null) complain(`${path.basename(request.script)} was ended by ${exit.signal}.`)
  return exit.code ?? 1
}

/**
 * The support file of a lane whose terminal may run: it only reads. The key store's secrets go along so that they can
 * be looked for in the file; where they cannot be read, there is none.
 */
async function saveSupportFile(file: string, options: ProvisionOptions): Promise<number> {
  const { dataFolder, keyStore, platform, outline, supportMain: script } = options
  const args = ['--data', dataFolder, '--out', file]
  const keptInStore = outline.mode === 'production' && existsSync(path.join(dataFolder, 'terminal.db'))
  const problem = keptInStore ? await keyStoreProblem(keyStore, platform) : null
  if (problem !== null && !keyIsInFile(dataFolder)) throw new TerminalRefused(problem, 2)
  const env = keptInStore && problem === null ? await readSecrets(keyStore, dataFolder) : {}
  return runProgram({ script, args, env }, options)
}

/**
 * The check of a lane whose terminal may run, or may not start: nothing is locked and nothing is written, and a key
 * store that does not open is one of the findings.
 */
async function checkLane(options: ProvisionOptions): Promise<number> {
  const { dataFolder, lane, profileArgs, doctorMain: script, launch, log, complain, checkEndsMs = 20_000 } = options
  const args = ['--data', dataFolder, '--lane', lane, ...profileArgs]
  const child = launch({ script, args, env: await keyStoreSays(options) })
  // Line by line: it takes some seconds.
  createInterface({ input: child.stdout }).on('line', log)
  const ended = Promise.all([text(child.stderr), child.exited])
  // A read of a disk that hangs may hold the process whatever ends it: it is not waited for.
  const outcome = await Promise.race([ended, delay(checkEndsMs, null, { ref: false })])
  if (outcome === null) {
    child.kill()
    complain(`The check was ended: what it reads gives no answer. Look at the disk under ${dataFolder}.`)
    return 2
  }
  const [complained, exit] = outcome
  if (complained.trim() !== '') complain(complained.trim())
  return exit.code ?? 2
}

async function keyStoreSays(options: ProvisionOptions): Promise<Record<string, string>> {
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
 * MILEPOST_PROVISION_VALUE, else the first line of standard input. On Windows the variable is the only way: Electron is
 * no console program there, and its standard input is always at its end.
 */
async function readValue(question: string, { environment, input, complain }: ProvisionOptions): Promise<string> {
  const given = environment['MILEPOST_PROVISION_VALUE']
  if (given === undefined && input.isTTY === true) complain(question)
  const value = (given ?? (await firstLine(input))).trim()
  if (value === '')
    throw new TerminalRefused(
      'Nothing was given on standard input or in MILEPOST_PROVISION_VALUE. Nothing was changed.',
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
