import type { Staff } from '../../../contracts/api/session.ts'
import type { Tx } from '../../db/transact.ts'
import type { ProblemError } from '../../http/problem.ts'
import { MAX_APPROVER_MISSES, MAX_ATTEMPTS, type PinDoors } from './pin-doors.ts'
import { triedAt, type PinRefusals } from './pin-refusals.ts'
import type { Pins } from './pins.ts'
import type { StaffRepository } from './repository.ts'
import type { StorePins } from './store-pins.ts'

export interface PinChecksOptions {
  readonly people: StaffRepository
  readonly pins: Pins
  /** PINs that were set at other lanes; left out: nobody follows. */
  readonly storePins?: Pick<StorePins, 'pinsOf'> | undefined
  readonly doors: PinDoors
  readonly refusals: PinRefusals
  readonly atOnce: <Result>(work: (tx: Tx) => Result) => Result
}

/**
 * Whether a PIN is its owner's: at the sign-in screen, and beside a command that somebody else asks for. Asked for one
 * at a time: a try is counted on disk before it is checked.
 */
export function createPinChecks({ people, pins, storePins, doors, refusals, atOnce }: PinChecksOptions) {
  const { refuse, refused } = refusals

  /** Whether the PIN is the person's. A verifier of another cost is made anew while the PIN is at hand. */
  async function matches(staffId: string, pin: string): Promise<'right' | 'wrong' | 'not-set'> {
    const known = people.credentials(staffId)
    const checking = (known?.ofStore && storePins?.pinsOf(staffId, known.ofStore)) ?? pins
    if (!(await checking.verify(pin, known?.pinHash ?? null)))
      return known && known.pinHash === null ? 'not-set' : 'wrong'
    if (known?.pinHash && (known.ofStore !== null || pins.isOutdated(known.pinHash))) {
      const hash = await pins.hash(pin)
      atOnce((tx) => {
        // Another lane may have set another meanwhile.
        if (people.credentials(staffId)?.pinHash === known.pinHash) people.setPinHash(tx, staffId, hash, known)
      })
    }
    return 'right'
  }

  /** Throws ProblemError where no more tries are let in. */
  function refuseShut(staffId: string, askedBy: string | null): void {
    refusals.whileLocked(staffId, askedBy)
    const { door, by } = triedAt(staffId, askedBy)
    // The process died between the last allowed guess and its lockout.
    if (doors.misses(door, by) >= MAX_ATTEMPTS) throw atOnce((tx) => refusals.lockOut(tx, staffId, askedBy))
  }

  /** Of the `attempt`th wrong PIN in a row. */
  const missed = (attempt: number, staffId: string, askedBy: string | null): ProblemError =>
    atOnce((tx) => {
      const wrong = refuse(tx, 'pin-wrong', staffId, askedBy)
      return attempt < MAX_ATTEMPTS ? wrong : refusals.lockOut(tx, staffId, askedBy)
    })

  /** A PIN that another person has set is no answer yet. Throws ProblemError `pin-change-required`. */
  function refuseTemporary(staffId: string, askedBy: string | null): void {
    if (people.credentials(staffId)?.temporary) throw refused('pin-change-required', staffId, askedBy)
  }

  return {
    refuseTemporary,

    async signIn(staffId: string, pin: string): Promise<Staff> {
      const person = people.find(staffId)
      if (!person) {
        await pins.verify(pin, null)
        throw refused('pin-wrong', staffId, null)
      }
      refuseShut(staffId, null)
      const attempt = atOnce((tx) => doors.count(tx, 'sign-in', staffId))
      switch (await matches(staffId, pin)) {
        case 'right':
          atOnce((tx) => {
            doors.beginAnew(tx, 'sign-in', staffId)
          })
          return person
        case 'not-set':
          // There is nothing to guess, so nothing is counted; the work is that of any other check.
          throw atOnce((tx) => {
            doors.takeBack(tx, 'sign-in', staffId)
            return refuse(tx, 'pin-not-set', staffId, null)
          })
        case 'wrong':
          throw missed(attempt, staffId, null)
      }
    },

    async approve(approverId: string, pin: string, askedBy: string): Promise<Staff> {
      const person = people.find(approverId)
      refuseShut(approverId, askedBy)
      if (doors.misses('approval-approver', approverId) >= MAX_APPROVER_MISSES)
        throw refused('approver-locked', approverId, askedBy)
      const attempt = atOnce((tx) => {
        if (person) doors.count(tx, 'approval-approver', approverId)
        return doors.count(tx, 'approval-asker', askedBy)
      })
      const outcome = person ? await matches(approverId, pin) : (await pins.verify(pin, null), 'wrong')
      if (!person || outcome === 'wrong') throw missed(attempt, approverId, askedBy)
      atOnce((tx) => {
        doors.takeBack(tx, 'approval-approver', approverId)
        if (outcome === 'right') doors.beginAnew(tx, 'approval-asker', askedBy)
        else doors.takeBack(tx, 'approval-asker', askedBy)
      })
      if (outcome === 'not-set') throw refused('pin-not-set', approverId, askedBy)
      refuseTemporary(approverId, askedBy)
      return person
    },
  }
}
