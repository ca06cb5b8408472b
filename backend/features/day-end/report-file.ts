import type { FastifyReply } from 'fastify'
import type { Lane, Profile } from '../../../contracts/profile.ts'

/** A report of the lane as a PDF for an office. */
export interface ReportFile {
  readonly fileName: string
  readonly bytes: Buffer
}

const PATH_CHARACTERS = /[^A-Za-z0-9-]/g

/** What files of a lane are called, e.g. "z-report_TRAIN-001_lane-01_3.pdf". */
export const fileNamesOf =
  (store: Pick<Profile['store'], 'id'>, lane: Pick<Lane, 'id'>) =>
  (what: 'x-report' | 'z-report' | 'closing', which: string): string =>
    `${[what, store.id, `lane-${lane.id}`, which].map((part) => part.replaceAll(PATH_CHARACTERS, '-')).join('_')}.pdf`

export const sendFile = (reply: FastifyReply, { fileName, bytes }: ReportFile): FastifyReply =>
  reply.type('application/pdf').header('content-disposition', `attachment; filename="${fileName}"`).send(bytes)
