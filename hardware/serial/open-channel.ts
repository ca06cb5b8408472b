import type { ByteConnection } from '../../contracts/core/profile.ts'
import { type ByteChannel, type ChannelEvents, WireError } from './channel.ts'
import { openSerialChannel } from './serial-channel.ts'
import { openTcpChannel } from './tcp-channel.ts'

/** Opens the wire that a connection describes. Rejects with a WireError when it cannot within `deadlineMs`. */
export function openChannel(
  connection: ByteConnection,
  events: ChannelEvents,
  deadlineMs: number,
): Promise<ByteChannel> {
  switch (connection.kind) {
    case 'serial':
      return openSerialChannel(connection, events, deadlineMs)
    case 'tcp':
      return openTcpChannel(connection, events, deadlineMs)
    case 'virtual':
      return Promise.reject(new WireError('a virtual connection without a virtual bench'))
  }
}
