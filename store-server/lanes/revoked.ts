/**
 * When the lane of the table `of` was taken out of the store (epoch ms): all that it ever showed itself by was revoked,
 * and it has not been enrolled again. Null for one that is in it, or that nobody enrolled here.
 */
export const revokedSql = (of: string): string => `(SELECT max(revoked_at) FROM device
  WHERE device.store = ${of}.store AND device.lane = ${of}.lane HAVING count(*) = count(revoked_at))`
