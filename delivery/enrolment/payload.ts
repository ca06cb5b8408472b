import type { EnrolmentCode } from '../../contracts/enrolment-code.ts'
import { EnrolmentPayload } from '../../contracts/enrolment.ts'
import { keysOf, openAs, openWith, type LaneKey } from './sealing.ts'

/** Which lane it is for is sealed with it: what was made for one lane opens at no other. */
export const aboutPayload = (id: string, { store, lane }: { readonly store: string; readonly lane: string }): string =>
  `milepost enrolment payload 1\n${JSON.stringify([id, store, lane])}`

/** What a sealed answer is about: that of one code opens nothing in the place of another's. */
export const aboutAnswer = (id: string): string => `milepost enrolment answer 1\n${id}`

/**
 * Opens the answer of the service with the lane's key, then with the code: what is inside comes from whoever made the
 * code and from nobody else. Null where either fails.
 */
export async function openAnswer(
  answer: Uint8Array,
  lane: { readonly store: string; readonly lane: string; readonly code: EnrolmentCode; readonly key: LaneKey },
): Promise<EnrolmentPayload | null> {
  const { id } = lane.code
  const sealed = openAs(lane.key, aboutAnswer(id), answer)
  const bytes = sealed && openWith((await keysOf(lane.code)).opens, aboutPayload(id, lane), sealed)
  if (!bytes) return null
  try {
    return EnrolmentPayload.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    return null
  }
}
