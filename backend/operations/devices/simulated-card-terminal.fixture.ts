import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CardTerminalDevice } from '../../../contracts/core/profile.ts'
import { openVirtualCardTerminal, type VirtualCardTerminal } from '../../../hardware/index.ts'
import { temporaryFolder } from '../../core/http/testing.ts'

export interface SimulatedCardTerminal {
  readonly far: VirtualCardTerminal
  readonly device: CardTerminalDevice
}

export async function openSimulatedCardTerminal(): Promise<SimulatedCardTerminal> {
  const far = await openVirtualCardTerminal('V400m-123456789', null)
  const { host, port, certificate, commonName } = far.address
  const file = join(temporaryFolder(), 'terminals.pem')
  writeFileSync(file, certificate)
  return {
    far,
    device: {
      connection: { kind: 'tcp', host, port, certificateFile: file, certificateName: commonName },
      terminalId: commonName,
    },
  }
}
