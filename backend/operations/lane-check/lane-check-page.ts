import type { LiveLane, TokenAnswer } from './lane.ts'
import { homedir } from 'node:os'
import type { ConnectionCause } from '../../../contracts/operations/connection.ts'
import type { LaneCheck } from '../../../contracts/operations/lane-check-page.ts'
import { runLaneCheck } from './run.ts'
import { trustFileOf } from '../../../packages/delivery/stored-bundles.ts'
import type { App } from '../../core/http/app.ts'
import { diagnosticsContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { laneTimeOf } from '../../core/lane-time.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { connectionCallsOf } from '../connection/calls.ts'

/**
 * Converts the cause of a failed token step of the connection check to a result about the secret; null: a token was
 * issued.
 */
export const tokenAnswerOf = (cause: ConnectionCause | null): TokenAnswer =>
  cause === null ? 'accepted' : cause === 'token-refused' ? 'refused' : 'no-answer'

/** Lane check that a manager starts: the installer's check, with the state of the running terminal. */
const laneChecksOf = perLane((ctx: Ctx) => {
  const { clock, publish, log } = ctx
  const dataFolder = programOf(ctx).dataFolder
  const profileFile = programOf(ctx).profileFile
  const running = checkedLaneOf(ctx)
  const version = programOf(ctx).version
  let check: LaneCheck | null = null
  let underWay: Promise<unknown> | null = null

  function changed(now: LaneCheck): void {
    check = now
    publish({ type: 'lane-check-changed' })
  }

  function begin(): void {
    underWay = runLaneCheck(
      {
        dataFolder,
        profileFile,
        bundleFile: null,
        laneId: running.lane.id,
        trustFile: trustFileOf(dataFolder),
        environment: process.env,
        home: homedir(),
        window: { kind: 'here' },
        version: version,
        now: () => new Date(clock.now()),
        running,
      },
      changed,
    )
      .catch((error: unknown) => {
        log.error({ err: error }, 'the check of the lane failed')
        if (check !== null) changed({ ...check, endedAt: new Date(clock.now()).toISOString() })
      })
      .finally(() => {
        underWay = null
      })
  }

  return {
    last: (): LaneCheck | null => check,
    start(): LaneCheck | null {
      if (underWay === null) begin()
      return check
    },
    finished: (): Promise<unknown> | null => underWay,
  }
})

export function laneCheckRoutes(ctx: Ctx, app: App): void {
  const checks = laneChecksOf(ctx)
  serve(app, diagnosticsContract['GET /diagnostics/lane'], () => ({ check: checks.last() }))

  serve(app, diagnosticsContract['POST /diagnostics/lane'], () => ({ check: checks.start() }))
}

function checkedLaneOf(ctx: Ctx): LiveLane {
  const { endpoints, profile } = programOf(ctx)
  return {
    profile,
    lane: ctx.lane,
    endpoints,
    health: () => devicesOf(ctx).health(),
    clock: () => laneTimeOf(ctx).health,
    requestToken: async () => tokenAnswerOf((await connectionCallsOf(ctx).token()).cause),
  }
}
