import { NONCE_HEADER, NONCE_REFUSED, createProver, type LaneCredentials } from '../../delivery/enrolment/proof.ts'
import { callOver, type Answer } from './call.ts'

export type LaneCall = (path: string, body: string) => Promise<Answer>

export function signedLane(
  { ca, url }: { readonly ca: string; readonly url: string },
  lane: LaneCredentials,
): LaneCall {
  const prover = createProver(lane)
  return async function call(path, body): Promise<Answer> {
    const answer = await callOver(ca, url + path, body, prover.headers({ method: 'POST', path, body }))
    const nonce = answer.headers[NONCE_HEADER]
    if (typeof nonce === 'string') prover.take(nonce)
    return answer.status === 401 && answer.body.includes(`"${NONCE_REFUSED}"`) ? call(path, body) : answer
  }
}

export const bareToken =
  ({ ca, url }: { readonly ca: string; readonly url: string }, token: string): LaneCall =>
  (path, body) =>
    callOver(ca, url + path, body, { authorization: `Bearer ${token}` })
