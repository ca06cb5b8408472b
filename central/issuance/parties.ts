import type { IssuanceErrorCode } from '../../contracts/central/issuance.ts'
import type { Collector, ProgramRepository, Sponsor } from '../program/repository.ts'

export interface Parties {
  readonly sponsor: Sponsor
  readonly collector: Collector
  readonly waits: IssuanceErrorCode | null
}

/** What a location code is worth to a sponsor (specification 3 §7.1, 205 and 230). Null: fine. */
export function locationError(program: ProgramRepository, sponsorCode: string, code: string): IssuanceErrorCode | null {
  const location = program.findLocation(sponsorCode, code)
  if (!location) return '230'
  return location.active ? null : '205'
}

/**
 * Why the parties of a request keep it from being processed at all (400: a code), or make it wait (202: `waits`);
 * specification 3 §7.1.
 */
export function partiesOf(program: ProgramRepository) {
  return (request: {
    sponsorCode: string
    collectorNumber: string
    locationCode?: string | undefined
  }): Parties | IssuanceErrorCode => {
    const sponsor = program.findSponsor(request.sponsorCode)
    if (!sponsor) return '221'
    const collector = program.findCollector(request.collectorNumber)
    if (!collector) return '234'
    if (collector.state === 'deleted') return '232'
    if (collector.state === 'closed') return '224'
    const unknown: IssuanceErrorCode | null = collector.issuanceDelayed ? '000' : null
    if (sponsor.state === 'expired') return { sponsor, collector, waits: '225' }
    if (request.locationCode === undefined)
      return { sponsor, collector, waits: sponsor.locationRequired ? '202' : unknown }
    return { sponsor, collector, waits: locationError(program, sponsor.code, request.locationCode) ?? unknown }
  }
}
