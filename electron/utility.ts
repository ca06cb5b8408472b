import path from 'node:path'
import { utilityProcess } from 'electron'
import { withoutNodeMode } from '../packages/supervisor/shell/shell-options.ts'
import type { Launch } from '../packages/supervisor/service.ts'
import { adaptUtility } from '../packages/supervisor/shell/utility-streams.ts'

/**
 * Starts a program in Electron's utility process: a Node that reads its code from the archive and ends with the shell,
 * so it needs no parent guard. A package has no other Node, because its run-as-node fuse is off.
 */
export const launchUtility: Launch = ({ script, args, env }) =>
  adaptUtility(
    utilityProcess.fork(path.join(import.meta.dirname, 'utility-main.js'), [script, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...withoutNodeMode(process.env), ...env },
      serviceName: 'Milepost',
    }),
  )
