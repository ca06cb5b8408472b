import { storeSealed } from '../../delivery/enrolment/proof.ts'
import type { LaneDevice } from '../../../backend/operations/enrolment/lane-store.ts'
import type { StorePlace } from '../../../backend/store/channel.ts'

export function writeDevice(folder: string, masterKey: Uint8Array, { url, ca, token, key }: StorePlace): void {
  const device: LaneDevice = {
    format: 1,
    codeId: 'TEST1',
    service: url,
    certificate: null,
    storeServer: { url, ca },
    token,
    key,
  }
  storeSealed(folder, masterKey, 'terminal.device', JSON.stringify(device))
}
