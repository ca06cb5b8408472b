/**
 * What stands before the services and answers for them, with no code of theirs: 503 is the status of a scheduled outage
 * (specification 3 §7.2), 502 and 504 say that nobody answered there. Null for any other status.
 */
export function gatewaySays(status: number): 'outage' | 'offline' | null {
  switch (status) {
    case 503:
      return 'outage'
    case 502:
    case 504:
      return 'offline'
    default:
      return null
  }
}
