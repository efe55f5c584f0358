import { RefusalError } from '@muster/problems';

/** Refuses what the contract lets a request say but nothing behind the gateway can do yet, instead of dropping it silently. */
export function refuseUnbuilt(body: object, fields: readonly string[]): void {
  for (const field of fields) {
    const value = (body as { readonly [field: string]: unknown })[field];
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    throw new RefusalError({
      code: 'not-supported',
      reason: `${field} cannot be set yet; leave it out.`,
      subject: field,
    });
  }
}

export const refuseUnbuiltClusterFields = (body: object): void => refuseUnbuilt(body, ['ntp_sources']);
