import type english from '../../../contracts/i18n/en-CA/installer.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { setProxy } from '../../../packages/delivery/outgoing.ts'
import { systemClock } from '../../core/clock.ts'
import { lockDataFolder, EXIT, StartRefusedError } from '../../core/program/data-folder.ts'
import { createLaneStore } from './lane-store.ts'
import { createEnrolment } from './enrolment.ts'
import { createAuditTrail } from '../../core/audit.ts'
import { pinKeyOf } from '../../staff/pins.ts'
import { createStaffService } from '../../staff/sign-in.ts'
import { createPlainTransact } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import { translate } from '../../core/i18n.ts'
import { openTerminalDatabase } from '../../core/integrity/open-terminal.ts'
import { createLogger } from '../../core/log.ts'
import { readProfileLane } from '../../core/profile/profile-lane.ts'
import { readSealKey } from '../../core/integrity/seal.ts'
import { isTicket } from '../../../contracts/operations/enrolment-code.ts'
import { staffModuleOf } from '../../staff/staff-module.ts'

export interface EnrolOptions {
  readonly data: string
  readonly profile: string
  readonly lane: string | null
  readonly service: string | null
  readonly certificate: string | null
}

/**
 * Enrols the lane of a data folder that no terminal uses; returns the result as text. Throws StartRefusedError with the
 * cause and the remedy.
 */
export async function enrolLane(options: EnrolOptions, code: () => Promise<string>, locale: Locale): Promise<string> {
  const t = textsOf(locale)
  const { profile, lane } = readProfileLane(options.profile, options.lane, locale)
  await setProxy(profile.endpoints ?? {})
  const identity = { store: profile.store.id, lane: lane.id }
  const training = profile.mode === 'training'
  const keyStore = readSealKey(process.env)
  const folder = lockDataFolder(options.data, keyStore, { mode: profile.mode, ...identity })
  try {
    const typed = await code()
    if (options.service === null && !isTicket(typed)) throw new StartRefusedError(t('noService'), EXIT.badArguments)
    const database = await openTerminalDatabase(folder, systemClock)
    try {
      const { db, seal } = database
      const audit = createAuditTrail({ db, clock: systemClock, seal })
      const transact = createPlainTransact(db)
      const ctx = { db, clock: systemClock, audit, profile }
      const staff = createStaffService(staffModuleOf(ctx, pinKeyOf(folder.masterKey)))
      // In training, the start of the lane adds the staff.
      if (!training) await staff.sync(profile)
      const enrolment = createEnrolment({
        store: createLaneStore({ dataFolder: options.data, masterKey: folder.masterKey, keyStore: keyStore !== null }),
        identity,
        training,
        hasSecret: false,
        staff,
        record: (entry) => {
          transact((tx) => {
            audit.record(tx, entry)
          })
        },
        clock: systemClock,
        log: createLogger({ level: 'silent', destination: process.stderr }),
      })
      const { service, certificate } = options
      const done = await enrolment.enrol({
        code: typed,
        ...(service === null ? {} : { service }),
        ...(certificate === null ? {} : { certificate }),
      })
      const { people, secret } = done
      const brought = [people > 0 ? t('people', { people }) : t('noPeople'), ...(secret ? [] : [t('noSecret')])]
      return [
        t('done', { ...identity, code: done.codeId }),
        ...(training ? [t('training')] : brought),
        ...clockText(t, done.clockAheadMinutes),
      ].join('\n')
    } finally {
      database.close()
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    throw new StartRefusedError(problemText(error, locale), EXIT.badArguments)
  } finally {
    folder.release()
  }
}

const NAMELESS = { code: '', lane: '', store: '', minutes: 0, people: 0, tries: 0 }
type Texts = ReturnType<typeof textsOf>

function textsOf(locale: Locale) {
  const t = translate(locale)
  return (key: keyof typeof english.enrol, values: Partial<typeof NAMELESS> = {}): string =>
    t(`installer.enrol.${key}`, { ...NAMELESS, ...values })
}

const clockText = (t: Texts, ahead: number | null): string[] =>
  ahead === null ? [] : [t(ahead > 0 ? 'clockFast' : 'clockSlow', { minutes: Math.abs(ahead) })]

function problemText(error: ProblemError, locale: Locale): string {
  const t = textsOf(locale)
  const of = (path: string): string | undefined => error.details?.find((detail) => detail.path === path)?.message
  const [tries, store, lane, ahead] = [of('triesLeft'), of('store'), of('lane'), of('clockAheadMinutes')]
  return [
    translate(locale)(`errors.${error.code}`),
    ...(tries === undefined ? [] : [t('triesLeft', { tries: Number(tries) })]),
    ...(store === undefined || lane === undefined ? [] : [t('belongsTo', { store, lane })]),
    ...clockText(t, ahead === undefined ? null : Number(ahead)),
  ].join(' ')
}
