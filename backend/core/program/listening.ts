import type { WindowPage } from '../../../contracts/staff/session.ts'
import type { App } from '../http/server.ts'
import type { Logger } from '../log.ts'
import { EXIT, StartRefusedError } from './data-folder.ts'
import type { BackendOptions } from './options.ts'

const LOOPBACK = '127.0.0.1'
/**
 * Origin of the pages in Electron, where there is no TCP port: the shell forwards requests of its own scheme to the
 * backend's socket.
 */
export const SHELL_ORIGIN = 'app://milepost'
export const SHELL_HOST = new URL(SHELL_ORIGIN).host

export interface Place {
  readonly host: string
  readonly entryOf: (launchToken: string, page: WindowPage) => object
}

/** Listens on the address. Throws StartRefusedError when the port is in use and no other port may be used. */
export async function listen(app: App, wanted: BackendOptions['listen'], log: Logger): Promise<Place> {
  if (wanted.kind === 'socket') {
    const { path } = wanted
    await app.listen({ path })
    return { host: SHELL_HOST, entryOf: (launchToken) => ({ socket: path, launchToken }) }
  }
  const { port, orAnother } = wanted
  const url = await app.listen({ host: LOOPBACK, port }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    if (!orAnother) throw new StartRefusedError([['portTaken', { port }]], EXIT.badArguments)
    log.warn('another program uses the port of this lane')
    return app.listen({ host: LOOPBACK, port: 0 })
  })
  return {
    host: new URL(url).host,
    entryOf: (launchToken, page) => ({ url, launchUrl: `${url}${page}#launch=${launchToken}` }),
  }
}
